package engine

import (
	"strings"
	"testing"
)

// flooded runs a script against a process that calls getppid() very often, to its
// end, and returns what was delivered.
func flooded(t *testing.T, script string, calls int) outcome {
	t.Helper()
	e := tracing(t)
	l := newCaller(t, calls)
	s := started(t, e, script, l.cmd.Process.Pid)
	l.start()
	go func() {
		l.cmd.Wait()
		s.Stop()
	}()
	o := all(s, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSharedUnderFlood aggregates into the same cells from system calls and from
// timers that interrupt them. Every square carries into the high word, so that one
// that is lost shows: equal values deviate from their mean by nothing.
func TestSharedUnderFlood(t *testing.T) {
	const calls = 300_000
	o := flooded(t, `
		long i;
		syscall::getppid:entry /pid == $target/ { @n = count(); @s = stddev(6000000000); @a = avg(-7); @mn = min(-i); @mx = max(i); i++; }
		profile-4999hz /pid == $target/ { @ticks = count(); @s = stddev(6000000000); @a = avg(-7); @mn = min(-i); @mx = max(i); }`, calls)
	got := map[string]int64{}
	var fed uint64
	for _, a := range o.snap.Aggs {
		if len(a.Rows) == 1 {
			got[a.Name] = a.Rows[0].Value
			if a.Name == "s" {
				fed = a.Rows[0].Count
			}
		}
	}
	if got["n"] != calls || fed != uint64(got["n"]+got["ticks"]) {
		t.Errorf("%d calls and %d ticks fed %d values", got["n"], got["ticks"], fed)
	}
	if got["s"] != 0 || got["a"] != -7 {
		t.Errorf("deviation %d, mean %d; want 0 and -7", got["s"], got["a"])
	}
	if mx := got["mx"]; mx < calls-1 || mx > calls || got["mn"] != -mx {
		t.Errorf("least %d, greatest %d after %d calls", got["mn"], mx, calls)
	}
	if n := o.dropped(); n != 0 {
		t.Errorf("%d drops", n)
	}
	t.Logf("%d timers among %d calls", got["ticks"], got["n"])
}

// TestPoolUnderFlood counts into more aggregations than have tables of their own: to
// the last one, nothing is lost while the drain takes them.
func TestPoolUnderFlood(t *testing.T) {
	const calls, aggs = 100_000, 45
	var body strings.Builder
	for i := range aggs {
		body.WriteString("@a" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "[arg0, tid] = count(); ")
	}
	o := flooded(t, `
		#pragma D option aggrate=2ms
		int i;
		syscall::getppid:entry /pid == $target/ { `+body.String()+`@w = lquantize(i++ % 60000, 0, 60000); }`, calls)
	if len(o.snap.Aggs) != aggs+1 {
		t.Fatalf("%d aggregations, want %d", len(o.snap.Aggs), aggs+1)
	}
	for _, a := range o.snap.Aggs {
		var n int64
		for _, r := range a.Rows {
			n += r.Value
		}
		if n != calls {
			t.Errorf("@%s counts %d, want %d", a.Name, n, calls)
		}
	}
	if n := o.dropped(); n != 0 {
		t.Errorf("%d drops", n)
	}
}

// TestKeysThatStay has keys come again and again, and others after them: a table has room for
// one lot and half of another. What is not in the rows is told as lost.
func TestKeysThatStay(t *testing.T) {
	const calls, lots, keys = 400_000, 4, 3000
	o := flooded(t, `
		#pragma D option aggrate=2ms
		#pragma D option aggsize=144k
		int i;
		syscall::getppid:entry /pid == $target/ { @n[i / 100000, i % 3000] = count(); i++; }`, calls)
	var n, rows int64
	for _, r := range o.snap.Aggs[0].Rows {
		n, rows = n+r.Value, rows+1
		if often := int64(calls / lots / keys); r.Value > often+1 || o.dropped() == 0 && r.Value < often {
			t.Fatalf("key %v came %d times, want %d or one more", r.Keys, r.Value, often)
		}
	}
	lost := o.dropped()
	if n+int64(lost) != calls || rows > lots*keys || lost == 0 && rows != lots*keys {
		t.Errorf("%d of %d firings in %d rows, %d lost", n, calls, rows, lost)
	}
	t.Logf("%d rows, %d lost", rows, lost)
}
