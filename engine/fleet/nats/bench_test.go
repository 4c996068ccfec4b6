package nats

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats/natstest"
	"dscope.dev/engine/trace"
)

// BenchmarkFleet reads the runs of many agents, each of which delivers a snapshot of 1,000
// keys a second of which all have changed. Agents and server are in processes of their own,
// so that what each takes is told apart. How far the picture is behind is measured by
// an aggregation that has, as the greatest of each host, when its snapshot was made:
//
//	lag-ms      how long a snapshot takes to be in the merged picture: half of them
//	lag-max-ms  and the slowest of all, of any host
//	behind-ms   how old the oldest part of the picture is: the second until its host makes
//	            another one, and the lag of that
func BenchmarkFleet(b *testing.B) {
	for _, agents := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(agents), func(b *testing.B) { benchmarkFleet(b, agents) })
	}
}

const (
	serverEnv = "DSCOPE_BENCH_SERVER" // set for the process that is the server
	agentsEnv = "DSCOPE_BENCH_AGENTS" // how many agents a process is
	urlEnv    = "DSCOPE_BENCH_URL"    // the server of these
)

// other has this program run a test in a process of its own, which tells a line when it is
// ready. End ends it, and returns what it took.
func other(b *testing.B, test string, env ...string) (line string, end func() *syscall.Rusage) {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
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
	end = sync.OnceValue(func() *syscall.Rusage {
		in.Close()
		cmd.Wait()
		return cmd.ProcessState.SysUsage().(*syscall.Rusage)
	})
	b.Cleanup(func() { end() })
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	go io.Copy(os.Stderr, out) // what it has to say if it fails
	return strings.TrimSuffix(line, "\n"), end
}

func benchmarkFleet(b *testing.B, agents int) {
	url, endServer := other(b, "TestBeServer", serverEnv+"=1")
	begun := time.Now()
	_, endAgents := other(b, "TestBeAgents", fmt.Sprintf("%s=%d", agentsEnv, agents), urlEnv+"="+url)
	nc, err := Dial(Login{URL: url})
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
	var lags []time.Duration
	var behind time.Duration
	var pictures int
	shown := map[string]time.Time{} // when what is shown of a host was made
	var before, drops, came uint64
	var usage syscall.Rusage
	measured := time.Now().Add(5 * time.Second) // after the first of all
	over := measured.Add(seconds * time.Second)
	var cpu time.Duration
	for time.Now().Before(over) {
		select {
		case s, ok := <-run.Snapshots():
			if !ok {
				b.Fatal("the run has ended")
			}
			now, measuring := time.Now(), len(shown) > 0 && time.Now().After(measured)
			for host, made := range madeOf(s) {
				if at, before := shown[host]; before && measuring && made.After(at) {
					lags = append(lags, now.Sub(made))
				}
				if shown[host] = made; measuring {
					behind = max(behind, now.Sub(made))
				}
			}
			if measuring {
				if cpu == 0 {
					cpu, before, came = cpuTime(b), s.Drops, nc.Stats().InBytes
				}
				drops = s.Drops - before
				pictures++
			}
		case _, ok := <-run.Events():
			if !ok {
				b.Fatal("the run has ended")
			}
		case <-run.Status():
		case <-time.After(20 * time.Second):
			b.Fatal("nothing comes")
		}
	}
	if len(lags) == 0 {
		b.Fatal("no picture came")
	}
	slices.Sort(lags)
	cpu = cpuTime(b) - cpu
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(shown)), "hosts")
	b.ReportMetric(float64(lags[len(lags)/2].Milliseconds()), "lag-ms")
	b.ReportMetric(float64(lags[len(lags)-1].Milliseconds()), "lag-max-ms")
	b.ReportMetric(float64(behind.Milliseconds()), "behind-ms")
	b.ReportMetric(float64(pictures)/seconds, "pictures/s")
	b.ReportMetric(100*cpu.Seconds()/seconds, "reader-cpu-%")
	b.ReportMetric(float64(usage.Maxrss)/1024, "reader-MB")
	b.ReportMetric(float64(drops), "lost")
	bytes := float64(nc.Stats().InBytes-came) / seconds
	b.ReportMetric(bytes/1e6, "MB/s")
	b.ReportMetric(bytes/float64(agents), "B/snapshot") // of which there is one a second
	run.Close()
	endAgents()
	server, took := endServer(), time.Since(begun)
	b.ReportMetric(100*time.Duration(server.Utime.Nano()+server.Stime.Nano()).Seconds()/took.Seconds(), "server-cpu-%")
	b.ReportMetric(float64(server.Maxrss)/1024, "server-MB")
}

// madeOf yields the hosts of a picture, and when what it shows of each was made.
func madeOf(s trace.Snapshot) iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		for _, table := range s.Aggs {
			if table.Name != "made" {
				continue
			}
			for i := range table.Rows {
				if !yield(table.Rows[i].ID, time.Unix(0, table.Rows[i].Value)) {
					return
				}
			}
		}
	}
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestBeServer is the server of BenchmarkFleet, until its input is closed.
func TestBeServer(t *testing.T) {
	if os.Getenv(serverEnv) == "" {
		t.Skip("it is a part of BenchmarkFleet")
	}
	_, url := natstest.Token(t)
	fmt.Println(url)
	_, _ = io.Copy(io.Discard, os.Stdin) // it ends when the benchmark does
}

// TestBeAgents are the agents of BenchmarkFleet, until its input is closed.
func TestBeAgents(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv(agentsEnv))
	if err != nil {
		t.Skip("it is a part of BenchmarkFleet")
	}
	url := os.Getenv(urlEnv)
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
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A simulated host counts by a thousand keys.
type simulated string

func (s simulated) Run(ctx context.Context, _ trace.Script) (trace.Run, error) {
	r, err := newRunner().Run(ctx, trace.Script{})
	run := &simulatedRun{r.(*fakeRun), make(chan struct{})}
	go func() {
		defer close(run.over)
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

// A simulatedRun delivers until it is stopped, and nothing when it has been closed.
type simulatedRun struct {
	*fakeRun
	over chan struct{}
}

func (r *simulatedRun) Close() error {
	r.Stop()
	<-r.over
	return r.fakeRun.Close()
}
