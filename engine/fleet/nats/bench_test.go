package nats

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats/natstest"
	"dscope.dev/engine/trace"
)

// BenchmarkFleet reads the runs of many agents, each of which delivers a snapshot of 1,000
// keys a second of which all have changed. Agents and server are in a process of their own,
// so that the cost of the reader is told apart. How far the picture is behind is measured by
// an aggregation that has, as the greatest of each host, when its snapshot was made:
//
//	lag-ms     how long the newest snapshot takes to be in the merged picture, on average
//	behind-ms  how old the oldest part of the picture is; up to 1,000 of it are the agents'
func BenchmarkFleet(b *testing.B) {
	for _, agents := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(agents), func(b *testing.B) { benchmarkFleet(b, agents) })
	}
}

const agentsEnv = "DSCOPE_BENCH_AGENTS"

func benchmarkFleet(b *testing.B, agents int) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBeAgents$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", agentsEnv, agents))
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close() // with which it ends
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	nc, err := Dial(Login{URL: url[:len(url)-1]})
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	c, err := NewClient(nc, "u")
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	meant, err := fleet.ParseSelector("*")
	if err != nil {
		b.Fatal(err)
	}
	run, err := fleet.Start(b.Context(), c, meant, trace.Script{Text: "x"}, fleet.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer run.Close()
	const seconds = 15
	var lag, behind time.Duration
	var pictures, hosts int
	var before, drops uint64
	var usage syscall.Rusage
	measured := time.Now().Add(5 * time.Second) // after the first of all
	over := measured.Add(seconds * time.Second)
	var cpu time.Duration
	for time.Now().Before(over) {
		select {
		case s := <-run.Snapshots():
			newest, oldest, n := newestOf(s)
			if now := time.Now(); now.After(measured) && n > 0 {
				if cpu == 0 {
					cpu, before = cpuTime(b), s.Drops
				}
				hosts, drops = n, s.Drops-before
				lag += now.Sub(newest)
				behind = max(behind, now.Sub(oldest))
				pictures++
			}
		case <-run.Events():
		case <-run.Status():
		case <-time.After(20 * time.Second):
			b.Fatal("nothing comes")
		}
	}
	if pictures == 0 {
		b.Fatal("no picture came")
	}
	cpu = cpuTime(b) - cpu
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(hosts), "hosts")
	b.ReportMetric(float64(lag.Milliseconds())/float64(pictures), "lag-ms")
	b.ReportMetric(float64(behind.Milliseconds()), "behind-ms")
	b.ReportMetric(float64(pictures)/seconds, "pictures/s")
	b.ReportMetric(100*cpu.Seconds()/seconds, "reader-cpu-%")
	b.ReportMetric(float64(usage.Maxrss)/1024, "reader-MB")
	b.ReportMetric(float64(drops), "lost")
	if stats := nc.Stats(); stats.InBytes > 0 {
		b.ReportMetric(float64(stats.InBytes)/(seconds+5)/1e6, "MB/s")
	}
}

// newestOf returns when the newest and the oldest of the parts of a picture were made.
func newestOf(s trace.Snapshot) (newest, oldest time.Time, hosts int) {
	for _, table := range s.Aggs {
		if table.Name != "made" {
			continue
		}
		for i := range table.Rows {
			at := time.Unix(0, table.Rows[i].Value)
			if i == 0 || at.After(newest) {
				newest = at
			}
			if i == 0 || at.Before(oldest) {
				oldest = at
			}
		}
		hosts = len(table.Rows)
	}
	return newest, oldest, hosts
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestBeAgents is the server and the agents of BenchmarkFleet, until its input is closed.
func TestBeAgents(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv(agentsEnv))
	if err != nil {
		t.Skip("it is a part of BenchmarkFleet")
	}
	_, url := natstest.Token(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range many {
		name := fmt.Sprintf("host-%d", i)
		nc, err := Dial(Login{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		a := &Agent{Card: fleet.Card{Name: name, Kernel: "6.1", Instance: "1"}, Runner: simulated(name)}
		go a.Serve(ctx, nc)
	}
	fmt.Println(url)
	_, _ = io.Copy(io.Discard, os.Stdin) // it ends when the benchmark does
}

// A simulated host counts by a thousand keys.
type simulated string

func (s simulated) Run(ctx context.Context, _ trace.Script) (trace.Run, error) {
	r, err := newRunner().Run(ctx, trace.Script{})
	run := r.(*fakeRun)
	go func() {
		rows := make([]trace.Row, 1000)
		for i := range rows {
			key := fmt.Sprintf("key-%d", i)
			rows[i] = trace.Row{ID: key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}}
		}
		made := trace.Row{ID: string(s), Keys: []trace.Value{{Kind: trace.StringValue, Str: string(s)}}}
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			next := make([]trace.Row, len(rows))
			for i := range rows {
				rows[i].Value += 1 + rand.Int64N(1000)
				rows[i].Count = uint64(rows[i].Value)
			}
			copy(next, rows)
			made.Value = time.Now().UnixNano()
			select {
			case run.snaps <- trace.Snapshot{Seq: uint64(n), Time: time.Now(), Aggs: []trace.Table{
				{Name: "n", Func: trace.Count, KeyTypes: []string{"string"}, Normal: 1, Rows: next},
				{Name: "made", Func: trace.Max, KeyTypes: []string{"string"}, Normal: 1, Rows: []trace.Row{made}},
			}}:
			case <-run.stopped:
				run.end()
				return
			}
			select {
			case <-tick.C:
			case <-run.stopped:
				run.end()
				return
			}
		}
	}()
	return run, err
}
