package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// TestExamples wants of the reads of a process all that is known of them.
func TestExamples(t *testing.T) {
	e := tracing(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command("cat")
	cmd.Stdin = r
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	run, err := e.Run(ctx, trace.Script{Target: cmd.Process.Pid, Options: []string{"examples=4", "aggrate=50ms"}, Text: `
syscall::read:entry /pid == $target/ { self->ts = timestamp; self->wanted = arg2; }
syscall::read:return /self->ts && self->wanted/ { @t[execname] = quantize(timestamp - self->ts); self->ts = 0; }`})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	go func() {
		for ctx.Err() == nil {
			w.WriteString("hello\n")
			time.Sleep(time.Millisecond)
		}
	}()
	var st unix.Stat_t
	if err := unix.Fstat(int(r.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"execname": "cat", "pid": fmt.Sprint(cmd.Process.Pid), "tid": fmt.Sprint(cmd.Process.Pid), "uid": fmt.Sprint(os.Getuid()),
		"fds[uregs[R_RDI]].fi_pathname": fmt.Sprintf("pipe:[%d]", st.Ino), "args[0]": "6", "errno": "0",
		"self->wanted": "131072", "ustack()": "read", "stack()": "syscall",
	}
	for s := range run.Snapshots() {
		for _, x := range s.Examples {
			dims := s.Aggs[x.Agg].Origins[x.Origin].Dims
			if !dims[0].Key || dims[0].Expr != "execname" || len(dims) != len(x.Facts) {
				t.Fatalf("dimensions %+v for %d facts", dims, len(x.Facts))
			}
			if age := time.Since(x.Time); x.Value <= 0 || x.Weight < 1 || x.Probe.Function != "read" || age < 0 || age > time.Minute {
				t.Fatalf("example %+v", x)
			}
			got := map[string]string{}
			for i, d := range dims {
				got[d.Expr] = spell.Line(&x.Facts[i])
			}
			if got["args[0]"] != "6" {
				continue // several lines at once
			}
			for expr, v := range want {
				if !strings.HasPrefix(got[expr], v) || !strings.HasSuffix(expr, "()") && got[expr] != v {
					t.Errorf("%s is %q, want %q", expr, got[expr], v)
				}
			}
			if _, ok := got["self->ts"]; ok {
				t.Error("what the value is made of is a dimension")
			}
			return
		}
	}
	t.Error("no example")
}

// TestExamplesAreFair has a load whose firings are alike for milliseconds and then of
// another kind. In each interval the shares that the examples give, by their weights, must
// be those that were counted in it, within an interval that 99 of 100 fair samples hold:
// in 95 of 100 at least, where one that prefers early or late firings would hardly ever.
func TestExamplesAreFair(t *testing.T) {
	e := tracing(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	null, err := unix.Open("/dev/null", unix.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(null)
	run, err := e.Run(ctx, trace.Script{Target: os.Getpid(), Options: []string{"self", "examples=16", "aggrate=40ms"}, Text: `
syscall::pwrite64:entry /pid == $target/ { @n[arg2] = count(); @h = quantize(arg2); }`})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	go func() { // sizes that fall into one bucket
		buf := make([]byte, 2048)
		rng := rand.New(rand.NewPCG(1, 2))
		for ctx.Err() == nil {
			size := 1030 + 10*rng.IntN(3)
			for until := time.Now().Add(time.Duration(rng.IntN(5000)) * time.Microsecond); time.Now().Before(until); {
				unix.Pwrite(null, buf[:size], 0)
			}
		}
	}()
	const rounds = 120
	counted := map[uint64]map[int64]int64{} // by snapshot and size
	shares, within, wrong, most := 0, 0, 0, 0
	for s := range run.Snapshots() {
		now := map[int64]int64{}
		for _, r := range s.Aggs[0].Rows {
			now[r.Keys[0].Int] = r.Value
		}
		counted[s.Seq] = now
		last, before := counted[s.Seq-1], counted[s.Seq-2] // examples come an interval late
		if before == nil || last == nil {
			continue
		}
		total := int64(0)
		for size, n := range last {
			total += n - before[size]
		}
		weight, sum, squares, n := map[int64]float64{}, 0.0, 0.0, 0
		for _, x := range s.Examples {
			if x.Agg == 1 {
				weight[x.Value] += x.Weight
				sum += x.Weight
				squares += x.Weight * x.Weight
				n++
			}
		}
		if most = max(most, n); math.Abs(sum-float64(total)) > 0.02*float64(total)+1 {
			t.Logf("examples stand for %.0f firings, %d were counted", sum, total)
			wrong++
		}
		for size, n := range last {
			p := float64(n-before[size]) / float64(total)
			bound := 2.576*math.Sqrt(p*(1-p)*squares/(sum*sum)) + 1/float64(total)
			if shares++; math.Abs(weight[size]/sum-p) <= bound {
				within++
			}
		}
		if len(counted) > rounds {
			break
		}
	}
	t.Logf("%d of %d shares within their bounds, at most %d examples in an interval", within, shares, most)
	if shares < rounds || float64(within) < 0.95*float64(shares) {
		t.Errorf("%d of %d shares within their bounds", within, shares)
	}
	if 20*wrong > rounds { // on a busy machine records of one interval are read in the next
		t.Errorf("in %d of %d intervals examples do not stand for what was counted", wrong, rounds)
	}
	if most > 16*len(e.machine.Facts.Possible) {
		t.Errorf("%d examples of one bucket in one interval", most)
	}
}
