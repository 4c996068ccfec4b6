package engine

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/kmap"
	"dscope.dev/engine/text"
)

// A limitRow is a question as D asks it and as it is written by hand in C.
type limitRow struct {
	name   string
	script string
	progs  string // of testdata/limit/limit.c
	load   byte   // how limitSource is to call
}

var limitRows = []limitRow{
	{"counter", "entry { n[pid]++; }", "counter", asFast},
	{"tid", "entry { t[tid] = timestamp; } syscall::getppid:return /t[tid]/ { @ = quantize(timestamp - t[tid]); t[tid] = 0; }", "tid_enter tid_exit", asFast},
	{"strings", `entry { this->p = copyinstr(arg1); } syscall::getppid:entry /strstr(this->p, "tools") != NULL/ { @[basename(this->p)] = count(); }`, "strings", asFast},
	{"loop", "entry { this->s = 0; for (int i = 0; i < 16; i++) this->s += execname[i]; @ = sum(this->s); }", "loop", asFast},
	{"copied", "entry { this->p = (char *)copyin(arg1, 16); this->s = 0; for (int i = 0; i < 16; i++) this->s += this->p[i]; @ = sum(this->s); }", "copied", asFast},
	{"clauses", `entry /uid == 0/ { @a = count(); } syscall::getppid:entry /arg0 & 1/ { @b = count(); } syscall::getppid:entry /arg2 > 100/ { @c = count(); }
		syscall::getppid:entry /pid == 1/ { @d = count(); } syscall::getppid:entry /execname == "laystool"/ { @e = count(); }`, "clauses", asFast},
	{"stats", "entry { @a = avg(arg2); @b = min(arg2); @c = max(arg2); @d = stddev(arg2); }", "stats", asFast},
	{"tuple", "entry { @[execname, pid, probefunc] = count(); }", "tuple", asFast},
	{"branches", `entry { if (arg2 < 10) { @a = count(); } else if (arg2 < 50) { @b = count(); } else if (arg2 < 100) { @c = count(); }
		else if (arg2 < 300) { @d = count(); } else if (arg2 < 700) { @e = count(); } else { @f = count(); } }`, "branches", asFast},
	{"llquantize", "entry { @ = llquantize(arg2, 10, 0, 5, 20); }", "llquantize", asFast},
	{"stack", "entry { @[stack(10)] = count(); }", "stack", asFast},
	{"prints", `entry { printf("%s %s\n", execname, copyinstr(arg1)); }`, "prints", paced},
}

// limitSource calls getppid for each byte that it is given, with arguments that it does not take,
// as fast as can be or paced. It is no program at a fixed address, as few are.
const limitSource = `#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
#define CALLS 300000
#define PACE 5000 /* nanoseconds from call to call */
static long long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
int main(void) {
	char path[] = "/usr/share/workbench/tools/latency.d";
	char c;
	while (read(0, &c, 1) == 1) {
		long long begun = now();
		for (long i = 0; c && i < CALLS; i++) {
			if (c == 2) while (now() - begun < i * PACE);
			syscall(SYS_getppid, i, path, i * 7 % 1000);
		}
		write(1, &c, 1);
	}
}
`

const (
	asFast = 1
	paced  = 2

	limitCalls = 300_000 // for each byte
)

// BenchmarkLimit runs questions beside what one would write by hand, by turns: the time that is
// spent inside the programs for each call, as the kernel tells it. It wants clang.
//
//	go test ./engine -run XXX -bench Limit -benchtime 7x
//
// The medians are shown, and that of the ratios.
func BenchmarkLimit(b *testing.B) {
	e, object := tracing(b), byHand(b)
	stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	k := talk(b, limitSource, "-O2")
	for _, row := range limitRows {
		b.Run(row.name, func(b *testing.B) {
			var c, d, ratios []float64
			for b.Loop() {
				hand, ours := perCallOf(b, k, row.load, func() func() { return row.hand(b, object) }), perCallOf(b, k, row.load, func() func() { return row.ours(b, e) })
				c, d, ratios = append(c, hand), append(d, ours), append(ratios, ours/hand)
			}
			b.ReportMetric(0, "ns/op")
			for unit, list := range map[string][]float64{"C-ns": c, "dscope-ns": d, "dscope/C": ratios} {
				if slices.Sort(list); len(list) > 0 {
					b.ReportMetric(list[len(list)/2], unit)
				}
			}
		})
	}
}

// byHand compiles the programs that are written by hand.
func byHand(b *testing.B) string {
	clang, err := exec.LookPath("clang")
	if err != nil {
		b.Skip("no clang to compile what is written by hand: install clang")
	}
	object := filepath.Join(b.TempDir(), "limit.o")
	if out, err := exec.Command(clang, "-target", "bpf", "-mcpu=v3", "-O2", "-g", "-c", "../testdata/limit/limit.c", "-o", object).CombinedOutput(); err != nil {
		b.Fatalf("clang: %v\n%s", err, out)
	}
	return object
}

// perCallOf returns the nanoseconds that the programs which start starts run for each call of k,
// and has them stopped.
func perCallOf(b *testing.B, k *talker, load byte, start func() (stop func())) float64 {
	b.Helper()
	before := programs(b)
	stop := start()
	defer stop()
	own := programs(b)
	for id := range before {
		delete(own, id)
	}
	if _, err := k.in.Write([]byte{load}); err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadFull(k.out, make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
	var total time.Duration
	ran := uint64(0)
	for id, now := range programs(b) {
		if was, ok := own[id]; ok {
			total, ran = total+now.Runtime-was.Runtime, max(ran, now.RunCount-was.RunCount)
		}
	}
	if ran < limitCalls {
		b.Fatalf("the programs ran %d times in %d calls", ran, limitCalls)
	}
	return float64(total.Nanoseconds()) / limitCalls
}

// programs returns what the kernel tells of all programs, by their ids.
func programs(b *testing.B) map[ebpf.ProgramID]*ebpf.ProgramStats {
	b.Helper()
	found := map[ebpf.ProgramID]*ebpf.ProgramStats{}
	for id := ebpf.ProgramID(0); ; {
		next, err := ebpf.ProgramGetNextID(id)
		if errors.Is(err, os.ErrNotExist) {
			return found
		}
		if err != nil {
			b.Fatal(err)
		}
		id = next
		if p, err := ebpf.NewProgramFromID(id); err == nil { // or it has gone meanwhile
			if stats, err := p.Stats(); err == nil {
				found[id] = stats
			}
			p.Close()
		}
	}
}

// hand starts the programs of a row that are written by hand.
func (row *limitRow) hand(b *testing.B, object string) (stop func()) {
	spec, err := ebpf.LoadCollectionSpec(object)
	if err != nil {
		b.Fatal(err)
	}
	names := strings.Fields(row.progs)
	used := map[string]bool{}
	for name, p := range spec.Programs {
		if !slices.Contains(names, name) {
			delete(spec.Programs, name)
			continue
		}
		for _, in := range p.Instructions {
			used[in.Reference()] = true
		}
	}
	for name := range spec.Maps {
		if !used[name] {
			delete(spec.Maps, name)
		}
	}
	c, err := ebpf.NewCollection(spec)
	if errors.Is(err, btf.ErrNotFound) {
		b.Skipf("this kernel lacks what is written by hand for: %v", err)
	}
	if err != nil {
		b.Fatal(err)
	}
	ends := []func(){c.Close}
	if m := c.Maps["ring"]; m != nil {
		ends = append(ends, drained(b, m))
	}
	for _, name := range names {
		l, err := link.AttachTracing(link.TracingOptions{Program: c.Programs[name]})
		if err != nil {
			b.Fatal(err)
		}
		ends = append(ends, func() { l.Close() })
	}
	return func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
}

// drained has a ring buffer read as ours are, so that programs wait for no other reader.
func drained(b *testing.B, m *ebpf.Map) (stop func()) {
	r, err := kmap.OpenRing(m)
	if err != nil {
		b.Fatal(err)
	}
	ended, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			for ok := true; ok; {
				_, ok, _ = r.Next()
			}
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() {
		close(ended)
		<-done
		r.Close()
	}
}

// ours starts the script.
func (row *limitRow) ours(b *testing.B, e *Engine) (stop func()) {
	s := started(b, e, "syscall::getppid:"+row.script, 0)
	done := make(chan error)
	go func() {
		_, err := text.New(io.Discard, io.Discard, text.Options{Quiet: true}).Run(s)
		done <- err
	}()
	return func() {
		s.Stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
		s.Close()
	}
}
