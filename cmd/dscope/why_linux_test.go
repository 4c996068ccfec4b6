package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/difference"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/timeline"
)

// TestWhy records three loads of the real kernel, in each of which something else is
// behind the great values, and asks each recording what is different about them.
func TestWhy(t *testing.T) {
	mustTrace(t)
	const sizes = `syscall::write:entry /progenyof(%d) && execname == "dd"/ { @["size"] = quantize(arg2); }`
	const times = `syscall::read:entry /progenyof(%[1]d)/ { self->ts = timestamp; }
syscall::read:return /self->ts/ { @["time"] = quantize(timestamp - self->ts); self->ts = 0; }`
	write := func(bs int) string {
		return fmt.Sprintf("while :; do dd if=/dev/zero of=/dev/null bs=%d count=300 status=none; sleep 0.02; done", bs)
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	for _, tt := range []struct {
		cause  string
		script string
		from   int64 // the least of the great values
		load   func(t *testing.T)
		want   []string // expressions, one of which is named first
		value  string   // of that
	}{
		{"a slow pipe", times, 1 << 23, func(t *testing.T) {
			loop(t, nil, "", "(while sleep 0.02; do echo x; done) | cat >/dev/null")
			loop(t, nil, "", "while :; do dd if=/dev/zero of=/dev/null bs=512 count=30 status=none; sleep 0.01; done")
		}, []string{"execname", "fds[uregs[R_RDI]].fi_pathname"}, "cat pipe:"},
		{"a CPU", sizes, 1 << 16, func(t *testing.T) {
			loop(t, nil, "0", write(512))
			loop(t, nil, "1", write(65536))
		}, []string{"cpu"}, "1"},
		{"a user", sizes, 1 << 16, func(t *testing.T) {
			loop(t, nil, "", write(512))
			loop(t, nobody, "", write(65536))
		}, []string{"uid"}, "65534"},
	} {
		t.Run(tt.cause, func(t *testing.T) {
			tt.load(t)
			text := fmt.Sprintf(tt.script, os.Getpid()) + "\n"
			a, q := answer(t, text, tt.from)
			if len(a.Groups) == 0 {
				t.Fatalf("nothing is found among %d and %d examples: %+v", len(q.Inside), len(q.Outside), a.Rest)
			}
			f := a.Groups[0][0]
			v := f.Values[0]
			value := v.Value.Str
			if v.Value.Kind == trace.IntValue || v.Value.Kind == trace.UintValue {
				value = fmt.Sprint(v.Value.Int)
			}
			if !slices.Contains(tt.want, f.Dim.Expr) || value == "" || !strings.Contains(tt.value, strings.SplitAfter(value, ":")[0]) {
				t.Errorf("named first is %s of %s: %+v", value, f.Dim.Expr, f.Values)
			}
			t.Logf("%s %s: %.0f%% inside, %.0f%% outside, at least %.0f points; %d and %d examples",
				f.Dim.Expr, value, 100*v.Inside.Part, 100*v.Outside.Part, 100*v.Least, len(q.Inside), len(q.Outside))
		})
	}
}

// loop runs a script of the shell until the test ends, on one CPU if it says which.
func loop(t *testing.T, as *syscall.Credential, cpu, script string) {
	t.Helper()
	args := []string{"sh", "-c", script}
	if cpu != "" {
		args = append([]string{"taskset", "-c", cpu}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as}
	cmd.Dir = "/"
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
}

// answer records three seconds of a script, and asks what is different about the values
// from a bound on.
func answer(t *testing.T, text string, from int64) (difference.Answer, difference.Question) {
	t.Helper()
	dir := t.TempDir()
	script, file := filepath.Join(dir, "why.d"), filepath.Join(dir, "why.dscope")
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	long := "3s"
	if !idle() { // what comes in bursts has fewer examples that count
		long = "10s"
	}
	if err := recordMain([]string{"-t", long, file, script}); err != nil {
		t.Fatal(err)
	}
	p, err := replay.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = 1e6
	run, err := p.Run(t.Context(), trace.Script{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	go func() {
		for range run.Events() {
		}
	}()
	x := timeline.NewExamples(timeline.ExampleBudget)
	name := ""
	for s := range run.Snapshots() {
		x.Add(&s)
		for i := range s.Aggs {
			name = s.Aggs[i].Name
		}
	}
	of := selection.Selection{Name: name, Func: trace.Quantize, Buckets: true, Low: from, High: math.MaxInt64}
	q, unknown := of.Sides(x)
	if none := selection.None(x, &q, unknown); none != "" {
		t.Fatal(none)
	}
	return difference.Rank(q), q
}
