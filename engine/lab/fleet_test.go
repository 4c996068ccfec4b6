package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/fleet/nats/natstest"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
)

// TestFleet boots all kernels at once, each with an agent that logs in at a server on this
// machine, and runs scripts on all of them.
func TestFleet(t *testing.T) {
	if *kernels == "" {
		t.Skip("boots other kernels for minutes: -vm all")
	}
	_, url := natstest.Token(t)
	program := filepath.Join(t.TempDir(), "dscope")
	build := exec.Command("go", "build", "-o", program, "./cmd/dscope")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=amd64")
	if _, err := output(build); err != nil {
		t.Fatal(err)
	}
	versions := Versions()
	if *kernels != "all" {
		versions = strings.Split(*kernels, ",")
	}
	if old := len(versions) / 2; *turn >= 0 && old > 0 { // an older kernel and a newer one
		versions = []string{versions[*turn%old], versions[old:][*turn/old%(len(versions)-old)]}
	}
	kill := map[string]func(){}
	for _, v := range versions {
		kill[hostOf(v)] = bootAgent(t, v, program, strings.Replace(url, "127.0.0.1", Loopback, 1))
	}
	nc, err := nats.Dial(nats.Login{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	client, err := nats.NewClient(nc, "u")
	if err != nil {
		t.Fatal(err)
	}
	meant, err := fleet.ParseSelector("*")
	if err != nil {
		t.Fatal(err)
	}
	all := nats.NewFleet(client, meant, fleet.Options{}, remote.Greeting{})
	defer all.Close()
	begun := time.Now()
	for len(all.There()) < len(versions) {
		if t.Failed() || time.Since(begun) > limit()/2 {
			t.Fatalf("after %v there are only %v", time.Since(begun), all.There())
		}
		all.Hosts(t.Context()) // which waits a moment
	}
	t.Logf("%d machines are there after %v: %+v", len(versions), time.Since(begun).Round(time.Second), all.There())

	t.Run("refused", func(t *testing.T) {
		if !slices.ContainsFunc(versions, func(v string) bool { return v != "6.1" && v != "6.12" }) {
			t.Skipf("%s came after all of %v: a script that every host refuses is another matter", newCall, versions)
		}
		someRefuse(t, all, versions)
	})
	t.Run("merged", func(t *testing.T) { oneIsKilled(t, all, versions, kill) })
}

// hostOf is what the machine of a kernel is called.
func hostOf(version string) string { return "linux-" + version }

// bootAgent boots a kernel with an agent in it and something to trace: writes of 1 to 10,000
// bytes. Kill takes the machine down without a word, as does the end of the test.
func bootAgent(t *testing.T, version, program, url string) (kill func()) {
	k, err := Fetch(version)
	if errors.Is(err, errUnreachable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{Kernel: k, Network: true, Memory: 1024, Files: map[string]string{"/usr/bin/dscope": program},
		Command: "while :; do for n in 1 10 100 1000 10000; do head -c $n /dev/zero >/dev/null; done; sleep 0.2; done &\n" +
			fmt.Sprintf("exec dscope agent --nats %s --name %s", url, hostOf(version))}
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		_, err := m.Run(ctx, &out)
		if ctx.Err() == nil {
			t.Errorf("%s ended by itself", version) // and nobody need wait for it
		}
		ended <- err
	}()
	kill = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, ErrLate) || t.Failed() {
			t.Logf("%s: %v; it said\n%s", version, err, tail(out.String(), 40))
		}
	})
	t.Cleanup(kill)
	return kill
}

// fleetOf starts a script on all hosts. Its first may take an emulated machine longer than a
// start waits.
func fleetOf(t *testing.T, all *nats.Fleet, script string) trace.Run {
	t.Helper()
	for begun := time.Now(); ; {
		run, err := all.Run(t.Context(), trace.Script{Text: script, Options: []string{"estimate=off"}})
		if err == nil {
			t.Cleanup(func() { run.Close() })
			return run
		}
		if time.Since(begun) > limit()/4 {
			t.Fatal(err)
		}
		t.Logf("asked again: %v", err)
	}
}

// A reading is what has come of a run.
type reading struct {
	snap   trace.Snapshot
	status trace.Status
	told   []string // notices
}

// until reads a run until done says so, or to its end.
func (r *reading) until(t *testing.T, what string, run trace.Run, done func() bool) {
	t.Helper()
	late := time.After(limit() / 2)
	snaps, events, states := run.Snapshots(), run.Events(), run.Status()
	for !done() && (snaps != nil || events != nil || states != nil) {
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			r.snap = s
		case list, ok := <-events:
			if !ok {
				events = nil
			}
			for _, e := range list {
				if e.Kind == trace.NoticeEvent {
					r.told = append(r.told, e.Items[0].Text)
				}
			}
		case s, ok := <-states:
			if !ok {
				states = nil
				break
			}
			r.status = s
		case <-late:
			t.Fatalf("waited in vain for %s; hosts are %+v", what, r.status.Hosts)
		}
	}
}

func (r *reading) end(t *testing.T, run trace.Run) {
	t.Helper()
	run.Stop()
	r.until(t, "the end", run, func() bool { return false })
}

// hosts returns how many are in a state.
func (r *reading) hosts(s trace.State) (n int) {
	for _, h := range r.status.Hosts {
		if h.State == s {
			n++
		}
	}
	return n
}

// newCall is a system call that came with Linux 6.15.
const newCall = "open_tree_attr"

// someRefuse runs a script with a probe that only some of the kernels have.
func someRefuse(t *testing.T, all *nats.Fleet, versions []string) {
	run := fleetOf(t, all, "syscall::"+newCall+":entry { @ = count(); }")
	var r reading
	r.until(t, "each host to begin or to refuse", run, func() bool {
		return r.hosts(trace.Running)+r.hosts(trace.Failed) == len(versions)
	})
	r.end(t, run)
	for _, h := range r.status.Hosts {
		old := h.Name == hostOf("6.1") || h.Name == hostOf("6.12")
		if h.Refused != old || old && !strings.Contains(h.Why, newCall) || !old && h.State != trace.Done {
			t.Errorf("%s: %v, refused: %v, %s", h.Name, h.State, h.Refused, h.Why)
		}
		if old && !slices.ContainsFunc(r.told, func(s string) bool { return strings.HasPrefix(s, h.Name+" refused: ") }) {
			t.Errorf("that %s refuses is not told: %q", h.Name, r.told)
		}
	}
	t.Logf("told: %q", r.told)
}

// oneIsKilled runs a script on all kernels. Of one the machine is taken down as it runs: it is
// told to have died, and what it had delivered stays. What is merged is the sum of what each
// host tells, exactly.
func oneIsKilled(t *testing.T, all *nats.Fleet, versions []string, kill map[string]func()) {
	run := fleetOf(t, all, `syscall::write:entry { @all = quantize(arg2); @by[host] = quantize(arg2); @n["sum"] = sum(arg2); @each[host] = sum(arg2); }`)
	var r reading
	counted := func() int { // hosts of which enough has come
		n := 0
		for _, row := range rowsOf(r.snap, "by") {
			if row.Value >= 20 {
				n++
			}
		}
		return n
	}
	r.until(t, "each host to count", run, func() bool { return counted() == len(versions) })
	victim := hostOf(versions[len(versions)-1])
	kill[victim]()
	last := count(r.snap, victim)
	killed := time.Now()
	r.until(t, victim+" to be taken for dead", run, func() bool { return r.hosts(trace.Failed) == 1 })
	t.Logf("it is taken for dead after %v", time.Since(killed).Round(time.Second))
	r.end(t, run)
	for _, h := range r.status.Hosts {
		if dead := h.Name == victim; dead != (h.State == trace.Failed) || !dead && h.State != trace.Done || h.Refused {
			t.Errorf("%s is %v: %s", h.Name, h.State, h.Why)
		}
		t.Logf("%s: %v %s, %d writes, behind %v, clock %v within %v", h.Name, h.State, h.Why, count(r.snap, h.Name), h.Behind, h.Clock, h.Bound)
	}
	if got := count(r.snap, victim); got < last || got == 0 {
		t.Errorf("of %s had come %d, of which are left %d", victim, last, got)
	}
	if !slices.ContainsFunc(r.told, func(s string) bool { return strings.HasPrefix(s, victim+" died: ") }) {
		t.Errorf("that %s has died is not told: %q", victim, r.told)
	}

	sum, buckets := int64(0), map[int64]int64{}
	by, each := rowsOf(r.snap, "by"), rowsOf(r.snap, "each")
	for i := range by {
		for _, b := range by[i].Buckets {
			buckets[b.Low] += b.Count
		}
		sum += each[i].Value
	}
	merged, total := rowsOf(r.snap, "all"), rowsOf(r.snap, "n")
	if len(by) != len(versions) || len(each) != len(by) || len(merged) != 1 || len(total) != 1 {
		t.Fatalf("merged is %+v", r.snap.Aggs)
	}
	for _, b := range merged[0].Buckets {
		if buckets[b.Low] != b.Count {
			t.Errorf("from %d on are %d, of the hosts %d", b.Low, b.Count, buckets[b.Low])
		}
		delete(buckets, b.Low)
	}
	for low, n := range buckets {
		if n != 0 {
			t.Errorf("from %d on hosts have %d, which are missing", low, n)
		}
	}
	if sum == 0 || total[0].Value != sum {
		t.Errorf("all have written %d bytes, hosts %d", total[0].Value, sum)
	}
	t.Logf("%d writes of %d bytes, on %d hosts: %+v", merged[0].Value, sum, len(by), merged[0].Buckets)
}

// rowsOf returns the rows of an aggregation.
func rowsOf(s trace.Snapshot, name string) []trace.Row {
	for i := range s.Aggs {
		if s.Aggs[i].Name == name {
			return s.Aggs[i].Rows
		}
	}
	return nil
}

// count returns how many writes of a host are in a snapshot.
func count(s trace.Snapshot, host string) int64 {
	for _, row := range rowsOf(s, "by") {
		if row.Keys[0].Str == host {
			return row.Value
		}
	}
	return 0
}
