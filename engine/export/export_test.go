package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"dscope.dev/engine/export"
	"dscope.dev/engine/metrics"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
)

// kinds is a recording of a real kernel with aggregations of every function, stacks of both
// kinds, and durations that a script has printed.
const kinds = "../../testdata/runs/kinds.dscope"

// exported exports the last run of a recording.
func exported(t *testing.T, format string, o export.Options) (string, error) {
	t.Helper()
	p, err := replay.Open(kinds)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = math.Inf(1)
	if o.Format, err = export.Named(format); err != nil {
		t.Fatal(err)
	}
	scripts := p.Scripts()
	o.Script = scripts[len(scripts)-1]
	var b bytes.Buffer
	w, err := export.New(&b, o)
	if err != nil {
		return "", err
	}
	run := p.Play(len(scripts) - 1)
	defer run.Close()
	_, err = trace.Follow(run, w, w)
	return b.String(), err
}

func must(t *testing.T, format string, o export.Options) string {
	t.Helper()
	s, err := exported(t, format, o)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return s
}

// one is the options for one aggregation.
func one(name string) export.Options { return export.Options{Agg: name, One: true} }

var lastNumber = regexp.MustCompile(`(-?\d+) *$`)

// textSum adds up the last number of each line that has one.
func textSum(s string) (sum int64) {
	for _, line := range strings.Split(s, "\n") {
		if m := lastNumber.FindStringSubmatch(line); m != nil && !strings.Contains(line, "`") {
			n, _ := strconv.ParseInt(m[1], 10, 64)
			sum += n
		}
	}
	return sum
}

func csvRows(t *testing.T, s string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(s)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func csvSum(t *testing.T, s string) (sum int64) {
	t.Helper()
	for _, row := range csvRows(t, s)[1:] {
		n, err := strconv.ParseInt(row[len(row)-1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// scraped returns what Prometheus is told at the end of the recorded run.
func scraped(t *testing.T) string {
	t.Helper()
	p, err := replay.Open(kinds)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = math.Inf(1)
	s := metrics.New(metrics.Options{})
	var last drain
	run := p.Play(0)
	defer run.Close()
	if _, err := trace.Follow(run, last, s); err != nil {
		t.Fatal(err)
	}
	srv, err := s.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	res, err := client.Get("http://" + srv.Addr.String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// promSum adds up all series of a metric.
func promSum(t *testing.T, scrape, name string) int64 {
	t.Helper()
	sum, found := 0.0, false
	for _, line := range strings.Split(scrape, "\n") {
		if !strings.HasPrefix(line, name+"{") && !strings.HasPrefix(line, name+" ") {
			continue
		}
		f, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum, found = sum+f, true
	}
	if !found {
		t.Errorf("no %s in the scrape", name)
	}
	return int64(sum)
}

// TestSumsAgree holds every form to the numbers of the printed one.
func TestSumsAgree(t *testing.T) {
	scrape := scraped(t)
	for _, tt := range []struct{ agg, metric string }{
		{"calls", "dscope_calls_total"}, {"bytes", "dscope_bytes"}, {"least", "dscope_least"}, {"most", "dscope_most"},
		{"mean", "dscope_mean"}, {"spread", "dscope_spread"},
		{"latency", "dscope_latency_count"}, {"steps", "dscope_steps_count"}, {"decades", "dscope_decades_count"},
	} {
		want := textSum(must(t, "text", one(tt.agg)))
		if want == 0 {
			t.Errorf("@%s: the recording has nothing to compare", tt.agg)
		}
		if got := csvSum(t, must(t, "csv", one(tt.agg))); got != want {
			t.Errorf("@%s: csv adds up to %d, text to %d", tt.agg, got, want)
		}
		if got := promSum(t, scrape, tt.metric); got != want {
			t.Errorf("@%s: Prometheus is told %d, text says %d", tt.agg, got, want)
		}
	}
	for _, agg := range []string{"stacks", "kernel"} {
		want := textSum(must(t, "text", one(agg)))
		if got := csvSum(t, must(t, "csv", one(agg))); got != want || want == 0 {
			t.Errorf("@%s: csv adds up to %d, text to %d", agg, got, want)
		}
		if got := textSum(unnamed(must(t, "folded", one(agg)))); got != want {
			t.Errorf("@%s: folded stacks add up to %d, text to %d", agg, got, want)
		}
		p, err := profile.ParseData([]byte(must(t, "pprof", one(agg))))
		if err != nil {
			t.Fatal(err)
		}
		var got int64
		for _, s := range p.Sample {
			got += s.Value[0]
		}
		if got != want {
			t.Errorf("@%s: pprof adds up to %d, text to %d", agg, got, want)
		}
		if got := promSum(t, scrape, "dscope_"+agg+"_total"); got != want {
			t.Errorf("@%s: Prometheus is told %d, text says %d", agg, got, want)
		}
	}
	var doc any
	for _, line := range strings.Split(strings.TrimSpace(must(t, "ndjson", export.Options{})), "\n") {
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatalf("%v in %.100s", err, line)
		}
	}
	if err := json.Unmarshal([]byte(must(t, "json", export.Options{})), &doc); err != nil {
		t.Error(err)
	}
}

// unnamed leaves the numbers of folded stacks.
func unnamed(s string) string {
	var b strings.Builder
	for _, line := range strings.Split(s, "\n") {
		b.WriteString(line[strings.LastIndexByte(line, ' ')+1:] + "\n")
	}
	return b.String()
}

// folded is a line as flamegraph.pl reads it.
var folded = regexp.MustCompile(`^[^;]+(;[^;]+)* \d+$`)

func TestFolded(t *testing.T) {
	s := must(t, "folded", one("stacks"))
	for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
		if !folded.MatchString(line) {
			t.Errorf("no folded stack: %q", line)
		}
	}
	if !strings.Contains(s, "libc.so.6`read;vmlinux`entry_SYSCALL_64_after_hwframe_[k];vmlinux`do_syscall_64_[k] ") {
		t.Error("the process is not above the kernel, or the kernel is not told apart")
	}
	// Three processes ran dd, which has no symbols: its frames are the same in all of them.
	if strings.Contains(s, "dd`0x") || !strings.Contains(s, ";dd:0x") {
		t.Error("frames without symbols are told by their addresses")
	}
}

// TestPprofReads has the tool read a profile, with its labels.
func TestPprofReads(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command: ", err)
	}
	file := filepath.Join(t.TempDir(), "stacks.pb.gz")
	if err := os.WriteFile(file, []byte(must(t, "pprof", one("stacks"))), 0o600); err != nil {
		t.Fatal(err)
	}
	want := textSum(must(t, "text", one("stacks")))
	for _, args := range [][]string{{"-top"}, {"-top", "-tagfocus", "execname=dd"}, {"-peek", "do_syscall_64"}} {
		out, err := exec.Command(tool, append(append([]string{"tool", "pprof"}, args...), file)...).CombinedOutput()
		if err != nil {
			if strings.Contains(string(out), "no such tool") {
				t.Skip("this go has no pprof")
			}
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		for _, text := range []string{fmt.Sprintf("of %d total", want), "do_syscall_64", "Type: count"} {
			if !strings.Contains(string(out), text) {
				t.Errorf("%v has no %q:\n%.600s", args, text, out)
			}
		}
	}
}

// TestAt writes a run as it was at a moment.
func TestAt(t *testing.T) {
	all := csvSum(t, must(t, "csv", one("calls")))
	o := one("calls")
	o.At = 1500 * time.Millisecond
	if part := csvSum(t, must(t, "csv", o)); part <= 0 || part >= all {
		t.Errorf("%d of %d had come halfway", part, all)
	}
	o.At = time.Hour
	for _, format := range []string{"csv", "text", "chrome"} {
		if _, err := exported(t, format, o); err == nil || !strings.Contains(err.Error(), "the run lasted") {
			t.Errorf("%s an hour in: %v", format, err)
		}
	}
}

func TestKeep(t *testing.T) {
	o := one("bytes")
	o.Keep = func(_ *trace.Table, r *trace.Row) bool { return r.Keys[1].Str == "large" }
	rows := csvRows(t, must(t, "csv", o))
	if len(rows) != 2 || rows[1][3] != "large" || !slices.Equal(rows[0], []string{"aggregation", "function", "execname", `arg0 > 512 ? "large" : "small"`, "low", "high", "value"}) {
		t.Errorf("%q", rows)
	}
}

// Each thing that a run lacks for a format is said, with what would have it.
func TestLacks(t *testing.T) {
	for _, tt := range []struct{ format, agg, want string }{
		{"folded", "", "choose one with -a: @stacks count(), @kernel count()"},
		{"pprof", "calls", "profile-97 { @[ustack()] = count(); }"},
		{"csv", "nosuch", "there is no aggregation @nosuch, but @latency quantize()"},
		{"chrome", "nosuch", "there is no aggregation @nosuch"},
	} {
		o := export.Options{}
		if tt.agg != "" {
			o = one(tt.agg)
		}
		if _, err := exported(t, tt.format, o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of @%s: %v, want %q", tt.format, tt.agg, err, tt.want)
		}
	}
}

func TestGuess(t *testing.T) {
	for file, want := range map[string]string{
		"a.txt": "text", "a.trace.json": "chrome", "a.json": "json", "dir.csv/x.PB.GZ": "pprof", "a.md": "markdown", "x.html": "html", "x.jsonl": "ndjson",
		"x": "", ".csv": "", "x.gz": "",
	} {
		got, err := export.Guess(file)
		if got.Name != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", file, got.Name, err, want)
		}
	}
	if _, err := export.Named("cvs"); err == nil || !strings.Contains(err.Error(), "text, csv, json") {
		t.Errorf("%v", err)
	}
}
