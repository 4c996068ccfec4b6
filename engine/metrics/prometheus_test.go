package metrics_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/metrics"
)

var client = http.Client{Timeout: 10 * time.Second}

// scrape asks the endpoint as Prometheus does.
func scrape(t *testing.T, s *metrics.Source) string {
	t.Helper()
	srv, err := s.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	}()
	res, err := client.Get("http://" + srv.Addr.String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %s: %s", err, res.Status, b)
	}
	return string(b)
}

func TestScrape(t *testing.T) {
	got := scrape(t, source(metrics.Options{}, all()...))
	for _, want := range []string{
		"# TYPE dscope_calls_total counter", `dscope_calls_total{execname="dd"} 7`,
		`dscope_calls_total{execname="^[[m\\xff\"\n\\"} 2`, // spelled, then as the format has quotes and newlines
		"# TYPE dscope_bytes gauge\ndscope_bytes -3", "dscope_least -9.223372036854776e+18",
		"# TYPE dscope_latency histogram", `dscope_latency_bucket{args_0_name="a",le="255"} 3`, `dscope_latency_bucket{args_0_name="a",le="+Inf"} 5`,
		`dscope_latency_bucket{args_0_name="b",le="1023"} 0`, `dscope_latency_sum{args_0_name="a"} NaN`, `dscope_latency_count{args_0_name="b"} 1`,
		`dscope_run_drops_total{kind="DTRACEDROP_AGGREGATION",where="@k"} 9`, "dscope_run_active 1", "dscope_run_seconds 3",
	} {
		if !strings.Contains(got, want+"\n") && !strings.Contains(got, want+" ") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestPromtool has Prometheus's own tool read a scrape.
func TestPromtool(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("promtool is not installed: .ci/run does that (package prometheus)")
		}
		t.Skip("promtool is not installed (package prometheus)")
	}
	cmd := exec.Command(tool, "check", "metrics")
	cmd.Stdin = strings.NewReader(scrape(t, source(metrics.Options{}, all()...)))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

func TestListenFails(t *testing.T) {
	s := metrics.New(metrics.Options{})
	srv, err := s.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	for _, addr := range []string{srv.Addr.String(), "nonsense", "localhost:notaport"} {
		if again, err := s.Listen(addr); err == nil || !strings.Contains(err.Error(), "metrics at "+addr) || !strings.Contains(err.Error(), "localhost:9464") {
			t.Errorf("%s: %v", addr, err)
			if err == nil {
				again.Close()
			}
		}
	}
}
