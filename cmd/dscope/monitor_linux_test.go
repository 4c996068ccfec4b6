package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// TestMetricsOfRun scrapes a run of the real kernel while it goes on, and takes what it
// pushes. What was told last of what has ended is what is printed at the end.
func TestMetricsOfRun(t *testing.T) {
	mustTrace(t)
	var pushed atomic.Pointer[pb.MetricsData]
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var d pb.MetricsData
		if err := errors.Join(err, proto.Unmarshal(body, &d)); err != nil {
			t.Error(err)
		}
		pushed.Store(&d)
	}))
	defer collector.Close()
	cmd := exec.Command("dscope", "trace", "--metrics=localhost:0", "--otlp", collector.URL, "-q", "-x", "aggrate=50ms", "-c", "calls 1000000000", "-n",
		`syscall::getppid:entry /pid == $target/ { self->ts = timestamp; } syscall::getppid:return /self->ts/ { @n = count(); @took[probefunc] = quantize(timestamp - self->ts); self->ts = 0; }`)
	cmd.Env = append(os.Environ(), "OTEL_METRIC_EXPORT_INTERVAL=100")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	words := bufio.NewScanner(errs)
	at := ""
	for at == "" && words.Scan() {
		if m := regexp.MustCompile(`metrics at (http://\S+)`).FindStringSubmatch(words.Text()); m != nil {
			at = m[1]
		}
	}
	go io.Copy(io.Discard, errs)
	client := http.Client{Timeout: 10 * time.Second}
	count := func() (n float64) {
		res, err := client.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?m)^dscope_n_total (\S+)$`).FindSubmatch(body); m != nil {
			n, _ = strconv.ParseFloat(string(m[1]), 64)
		}
		return n
	}
	first := 0.0
	for wait := time.Now().Add(30 * time.Second); time.Now().Before(wait); time.Sleep(20 * time.Millisecond) {
		if n := count(); first == 0 {
			first = n
		} else if n > first {
			first = -1
			break
		}
	}
	if first != -1 {
		t.Errorf("the counter does not grow: %v", first)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile(`^\s*(\d+)\n`).FindStringSubmatch(out.String())
	if printed == nil {
		t.Fatalf("printed %q", out.String())
	}
	d := pushed.Load()
	if d == nil {
		t.Fatal("nothing was pushed")
	}
	told := map[string]string{}
	for _, m := range d.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if s := m.GetSum(); s != nil && m.Name == "dscope.n" {
			told["n"] = strconv.FormatFloat(s.DataPoints[0].GetAsDouble(), 'f', 0, 64)
		}
		if h := m.GetHistogram(); h != nil && m.Name == "dscope.took" {
			told["took"] = strconv.FormatUint(h.DataPoints[0].Count, 10)
		}
	}
	if told["n"] != printed[1] || told["took"] != printed[1] {
		t.Errorf("pushed at last %v, printed %s", told, printed[1])
	}
}
