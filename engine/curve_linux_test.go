package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
)

// How the cost of a run grows: with probes, clauses, keys, CPUs and events. The table in
// README.md is of these, which are run as
//
//	go test ./engine -run XXX -bench Curve -benchtime 1x

// BenchmarkCurveProbes is a count at so many functions of a process: from the script to
// attached probes, and from the last firing to none.
func BenchmarkCurveProbes(b *testing.B) {
	e, exe := tracing(b), manyFunctions(b, 10_000)
	for n, wild := 1, 0; n <= 10_000; n, wild = n*10, wild+1 {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			cmd := exec.Command(exe)
			in, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				b.Fatal(err)
			}
			defer cmd.Wait()
			defer in.Close()
			what := "f" + strings.Repeat("0", 4-wild) + strings.Repeat("?", wild)
			for b.Loop() {
				timed(b, e, fmt.Sprintf("pid$target:a.out:%s:entry { @ = count(); }", what), cmd.Process.Pid)
			}
		})
	}
}

// BenchmarkCurveClauses is a script of so many clauses at as many probes of system calls,
// and what it adds to a call that none of them is about.
func BenchmarkCurveClauses(b *testing.B) {
	e := tracing(b)
	alone := perCall(b, nil)
	for _, n := range []int{1, 10, 100, 600} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			script := callClauses(b, e, n, 0)
			for b.Loop() {
				s := timed(b, e, script, 0)
				b.ReportMetric(perCall(b, s)-alone, "ns/call")
			}
		})
	}
}

// BenchmarkCurveSwap is such a script that is swapped for one of which the first clause is
// another, from the script to where the new one counts, without the second in which a script
// that is wide is rehearsed.
func BenchmarkCurveSwap(b *testing.B) {
	e, ctx := tracing(b), context.Background()
	for _, n := range []int{1, 10, 100, 600} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var run trace.Run
			var took time.Duration
			swap := func(change int) {
				script := trace.Script{Text: callClauses(b, e, n, change), Options: []string{"estimate=off"}}
				from := time.Now()
				next, err := e.Swap(ctx, run, script)
				if err != nil {
					b.Fatal(err)
				}
				go all(next, 0)
				if run != nil {
					took += time.Since(from)
					run.Stop()
					run.Close()
				}
				run = next
			}
			swap(0)
			for i := 1; b.Loop(); i++ {
				swap(i)
			}
			b.ReportMetric(took.Seconds()*1e3/float64(b.N), "swap-ms")
			run.Stop()
			run.Close()
		})
	}
}

// callClauses returns a script of n clauses at as many probes of system calls. By change it
// differs from others in the first of them.
func callClauses(b *testing.B, e *Engine, n, change int) string {
	list, err := e.Match(context.Background(), "syscall:::")
	if err != nil {
		b.Fatal(err)
	}
	var script strings.Builder
	for i, p := range list {
		if p.Function != "getppid" && n > 0 {
			fmt.Fprintf(&script, "%s\n/pid != %d/\n{\n\tself->t%d = timestamp;\n\t@a%d[execname, pid] = count();\n\t@s = sum(arg0);\n}\n", p, i+change, i%20, i%10)
			n, change = n-1, 0
		}
	}
	return script.String()
}

// BenchmarkCurveKeys is an aggregation by so many keys, each of which comes as often as
// the others, 500,000 times a second together.
func BenchmarkCurveKeys(b *testing.B) {
	e := tracing(b)
	for n := 1; n <= 1_000_000; n *= 10 {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				flood(b, e, fmt.Sprintf("syscall::getppid:entry /pid == $target/ { @[n++ %% %d] = count(); }", n), 500_000, 5)
			}
		})
	}
}

// BenchmarkCurveEvents is a printf() so many times a second.
func BenchmarkCurveEvents(b *testing.B) {
	e := tracing(b)
	for _, n := range []int{1_000, 10_000, 100_000, 500_000, 1_000_000, 2_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				flood(b, e, `syscall::getppid:entry /pid == $target/ { printf("%s %d\n", execname, pid); }`, n, 5)
			}
		})
	}
}

// BenchmarkCurveCPUs is what a run takes of memory on machines of so many CPUs, which are made up.
func BenchmarkCurveCPUs(b *testing.B) {
	e := tracing(b)
	for n := 2; n <= 512; n *= 4 {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			e.machine.Facts.Possible, e.machine.Facts.Online = numbers(n), numbers(n)
			for b.Loop() {
				for what, script := range map[string]string{
					"counts":    "syscall:::entry { @[execname] = count(); }",
					"quantize":  "syscall::read:return { @[execname] = quantize(arg0); }",
					"stacks":    "profile-97 { @[stack()] = count(); }",
					"printf":    `syscall::read:entry { printf("%s %d", execname, arg2); }`,
					"self":      "syscall::read:entry { self->t = timestamp; }",
					"variables": "syscall::read:entry { n[pid, execname] = arg0; }",
				} {
					c, err := e.compile(context.Background(), Script{Name: "script", Text: script, Options: options.Default()}, false)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(c.Memory(n))/(1<<20), what+"-MB")
				}
			}
		})
	}
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// timed starts a script, and tells how long it took, and how much of the CPU.
func timed(b *testing.B, e *Engine, script string, target int) *Session {
	before, from := cpuTime(b), time.Now()
	c, err := e.Compile(context.Background(), Script{Name: "script", Text: script, Options: options.Default(), Target: target})
	if err != nil {
		b.Fatal(err)
	}
	compiled := time.Now()
	s, err := c.Start(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(compiled.Sub(from).Seconds()*1e3, "compile-ms")
	b.ReportMetric(time.Since(compiled).Seconds()*1e3, "start-ms")
	b.ReportMetric(float64(cpuTime(b)-before)/1e6, "cpu-ms")
	go all(s, 0)
	b.Cleanup(func() {
		s.Stop()
		from := time.Now()
		s.Close()
		b.ReportMetric(time.Since(from).Seconds()*1e3, "stop-ms")
	})
	return s
}

// perCall returns how many nanoseconds a system call takes while s runs.
func perCall(b *testing.B, s *Session) float64 {
	const calls = 2_000_000
	best := time.Hour
	for range 3 {
		l := newCaller(b, calls)
		from := time.Now()
		l.start()
		if err := l.cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(from))
	}
	return float64(best.Nanoseconds()) / calls
}

// flood runs a script while so many calls a second are made, and tells what the reader took,
// and what was lost.
func flood(b *testing.B, e *Engine, script string, pace, seconds int) {
	os.Setenv(paceEnv, strconv.Itoa(pace))
	defer os.Unsetenv(paceEnv)
	l := newCaller(b, pace*seconds)
	o := options.Default()
	o.Quiet, o.Prints = true, true
	s := begun(b, e, Script{Name: "script", Text: script, Options: o, Target: l.cmd.Process.Pid})
	from := time.Now()
	status, cpu := toNowhere(b, s, l)
	took := time.Since(from).Seconds()
	b.ReportMetric(float64(pace*seconds)/took/1e3, "thousand/s")
	b.ReportMetric(float64(cpu)/1e6/took, "cpu-ms/s")
	lost := uint64(0)
	for _, d := range status.Drops {
		lost += d.Count
	}
	b.ReportMetric(100*float64(lost)/float64(pace*seconds), "%lost")
}

// manyFunctions makes a program of so many functions that waits for the end of its input.
func manyFunctions(b *testing.B, n int) string {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		b.Skip("no gcc for the program under test")
	}
	path := filepath.Join(b.TempDir(), "many")
	cc := exec.Command(gcc, "-O0", "-xc", "-o", path, "-")
	var c strings.Builder
	c.WriteString("#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) > 0; }\n")
	for i := range n {
		fmt.Fprintf(&c, "int f%04d(void) { return %d; }\n", i, i)
	}
	cc.Stdin = strings.NewReader(c.String())
	if out, err := cc.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}
