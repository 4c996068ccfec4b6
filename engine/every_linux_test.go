package engine

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/options"
	"dscope.dev/probes"
)

var underLoad = flag.Duration("load", 2*time.Second, "how long every function is traced under load")

// TestEveryFunction counts the calls of every function of the kernel under load: all
// are hooked but those that are named, the counts are what the load can account for,
// and afterwards nothing is hooked. How long it takes is told and not judged,
// because emulated machines take as long as their host lets them: beside it stands
// what the kernel itself takes for a program that does nothing.
func TestEveryFunction(t *testing.T) {
	tracing(t)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	w := newWatch(t)
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.machine.Trials.Functions().Multi; err != nil {
		t.Skipf("one by one it would take minutes; kprobe_multi: %v", err)
	}
	w.lap("open the engine, try the hooks")
	before := enabledFunctions(t)
	c, err := e.Compile(context.Background(), Script{Name: "every", Options: options.Default(),
		Text: `fbt:::entry { @[probefunc] = count(); }`})
	if err != nil {
		t.Fatal(err)
	}
	w.lap("compile")
	reading := startLoad(t)
	defer reading.end(t)
	s, err := c.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	attached := w.lap("load and attach")
	o := make(chan outcome)
	go func() { o <- all(s, 0) }()
	reads := reading.run(t, *underLoad)
	w.lap("load: " + strconv.Itoa(reads) + " reads")
	s.Stop()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	detached := w.lap("detach and print")
	counts := map[string]int64{}
	for _, table := range (<-o).snap.Aggs {
		for _, row := range table.Rows {
			counts[row.Keys[0].Str] = row.Value
		}
	}
	checkHooked(t, e, c, s)
	checkCounts(t, counts, int64(reads))
	if after := enabledFunctions(t); after != before {
		t.Errorf("hooked after the end are:\n%.1000s", after)
	}
	floorIn, floorOut := floor(t, e, c, w)
	t.Logf("figures: %d functions: attached in %.2f s, an empty program in %.2f s (ratio %.2f); detached in %.2f s, the empty one in %.2f s (ratio %.2f)",
		len(c.plan.Object.Units[0].Hooks), attached, floorIn, attached/floorIn, detached, floorOut, detached/floorOut)
}

// enabledFunctions returns what the kernel says is hooked, without the addresses of
// what it is hooked to.
func enabledFunctions(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/sys/kernel/tracing/enabled_functions")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// checkHooked fails unless every function is hooked or named with the reason.
func checkHooked(t *testing.T, e *Engine, c *Compiled, s *Session) {
	t.Helper()
	if n := len(c.plan.Object.Units); n != 1 {
		t.Fatalf("%d programs, want one", n)
	}
	funcs, err := e.machine.Kernel.Functions()
	if err != nil {
		t.Fatal(err)
	}
	source := 0 // functions as the source has them, which are those of fbt
	for _, f := range funcs.List {
		if !strings.Contains(f.Name, ".") {
			source++
		}
	}
	if n := len(c.plan.Object.Units[0].Hooks); n < source || n < 20_000 {
		t.Errorf("%d functions are hooked, of %d", n, source)
	}
	named, refused := 0, 0
	for _, how := range s.Hooks() {
		if why, names, ok := strings.Cut(how, ": "); ok && strings.HasPrefix(why, "left out because ") {
			named += len(strings.Fields(names))
		}
		if strings.HasPrefix(how, "not used: ") {
			refused++
			t.Log(how)
		}
	}
	if named != len(funcs.Spared) || named == 0 {
		t.Errorf("%d functions are named as left out, want %d", named, len(funcs.Spared))
	}
	if refused > 20 {
		t.Errorf("the kernel has refused %d functions", refused)
	}
	t.Logf("figures: %d functions hooked, %d refused, %d left out by name with the reason", len(c.plan.Object.Units[0].Hooks)-refused, refused, named)
}

// checkCounts fails unless the counts are what so many reads account for.
func checkCounts(t *testing.T, counts map[string]int64, reads int64) {
	t.Helper()
	var all int64
	for _, n := range counts {
		all += n
	}
	t.Logf("figures: %d functions were called, %d times; vfs_read %d, ksys_read %d", len(counts), all, counts["vfs_read"], counts["ksys_read"])
	for _, name := range []string{"vfs_read", "ksys_read", "read_zero"} {
		// Others read as well; what is lost where a firing meets another one is counted by the kernel alone.
		if n := counts[name]; n < reads*99/100 || n > reads+reads/2+10_000 {
			t.Errorf("%s was called %d times; the load has read %d times", name, n, reads)
		}
	}
	if len(counts) < 200 {
		t.Errorf("only %d functions were called", len(counts))
	}
}

// floor attaches a program that does nothing to the same functions, by one link, and
// returns how many seconds the kernel takes for that, and to let it go.
func floor(t *testing.T, e *Engine, c *Compiled, w *watch) (in, out float64) {
	t.Helper()
	places, err := load.PlacesOf(e.machine.Kernel, c.plan.Object.Units[0].Hooks)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.Kprobe, AttachType: ebpf.AttachTraceKprobeMulti, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	w.lap("find the functions")
	links, err := attach.FunctionsMulti(places, p, map[probes.Hook]error{})
	in = w.lap("attach an empty program")
	err = errors.Join(err, links.Close())
	out = w.lap("detach it")
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}

// A watch says how long things take, of which how long by this process and how long
// by the kernel for it.
type watch struct {
	t         *testing.T
	at        time.Time
	user, sys time.Duration
}

// newWatch returns a watch after it has told how fast this machine is at what every
// program does, so that an emulated one can be compared with another.
func newWatch(t *testing.T) *watch {
	w := &watch{t: t}
	w.read()
	list := make([]uint32, 1<<19)
	for i, n := 0, uint32(1); i < len(list); i++ {
		n = n*1664525 + 1013904223
		list[i] = n
	}
	slices.Sort(list)
	w.lap("sort half a million numbers")
	for range 200_000 {
		unix.Getppid()
	}
	w.lap("call the kernel 200,000 times")
	return w
}

func (w *watch) read() {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		w.t.Fatal(err)
	}
	w.at, w.user, w.sys = time.Now(), time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}

// lap tells of what was done since the last time, and returns its seconds.
func (w *watch) lap(what string) float64 {
	was := *w
	w.read()
	took := w.at.Sub(was.at).Seconds()
	w.t.Logf("figures: %-34s %6.2f s: user %5.2f, kernel %5.2f", what, took, (w.user - was.user).Seconds(), (w.sys - was.sys).Seconds())
	return took
}

// A readingLoad is a process that reads as fast as it can while it is told to.
type readingLoad struct {
	cmd *exec.Cmd
	to  io.WriteCloser
	out *bufio.Scanner
}

func startLoad(t *testing.T) *readingLoad {
	t.Helper()
	l := &readingLoad{cmd: exec.Command("/proc/self/exe", "-test.run=^TestReadingLoad$")}
	l.cmd.Env, l.cmd.Stderr = append(os.Environ(), "DSCOPE_TEST_READING=yes"), os.Stderr
	to, err := l.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	l.to, l.out = to, bufio.NewScanner(from)
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.line(t) // it is ready
	return l
}

// line tells the load to go on and waits for its answer.
func (l *readingLoad) line(t *testing.T) string {
	t.Helper()
	if _, err := io.WriteString(l.to, "\n"); err != nil {
		t.Fatal(err)
	}
	if !l.out.Scan() {
		t.Fatalf("the load has ended: %v", l.out.Err())
	}
	return l.out.Text()
}

// run lets the load go for a while, and returns how often it has read.
func (l *readingLoad) run(t *testing.T, d time.Duration) int {
	t.Helper()
	if _, err := io.WriteString(l.to, "\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	n, err := strconv.Atoi(l.line(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (l *readingLoad) end(t *testing.T) {
	l.to.Close()
	if err := l.cmd.Wait(); err != nil {
		t.Errorf("the load: %v", err)
	}
}

// TestReadingLoad is the process of a load: a first line and it is ready, a second
// and it reads, a third and it says how often it has.
func TestReadingLoad(t *testing.T) {
	if os.Getenv("DSCOPE_TEST_READING") == "" {
		t.Skip("is started by other tests")
	}
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	fmt.Println("ready")
	in.Scan()
	var stop atomic.Bool
	go func() {
		in.Scan()
		stop.Store(true)
	}()
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	dir, buf, n := t.TempDir(), make([]byte, 64), 0
	for ; !stop.Load(); n++ {
		if _, err := unix.Read(int(zero.Fd()), buf); err != nil {
			t.Fatal(err)
		}
		if n%512 == 0 { // something else once in a while
			name := filepath.Join(dir, "f")
			if err := errors.Join(os.WriteFile(name, buf, 0o600), os.Remove(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	fmt.Println(n)
	os.Exit(0)
}
