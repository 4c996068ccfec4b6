//go:build unix

package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/session"
)

// childEnv makes the test binary be the workbench itself, so that it can be
// ended from outside on a terminal of its own.
const childEnv = "DSCOPE_TEST_WORKBENCH"

// holdEnv has its runs close only once descriptor 4 has been closed at the other end, and
// the end of the workbench wait less for them.
const holdEnv = "DSCOPE_TEST_HOLD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
	}
	os.Exit(m.Run())
}

// closing reports on descriptor 3 when a run has been closed.
type closing struct {
	*fakeRun
	report io.Writer
	once   sync.Once
}

func (c *closing) Close() error {
	err := c.fakeRun.Close()
	c.once.Do(func() {
		if os.Getenv(holdEnv) != "" {
			io.ReadAll(os.NewFile(4, "hold"))
		}
		fmt.Fprintln(c.report, "closed")
	})
	return err
}

// childBackend panics when a second run is asked for.
type childBackend struct {
	fake
	report io.Writer
}

func (c *childBackend) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	if strings.Contains(s.Text, "panic") {
		panic("a fault of the program")
	}
	r, err := c.fake.Run(ctx, s)
	if err != nil {
		return nil, err
	}
	return &closing{fakeRun: r.(*fakeRun), report: c.report}, nil
}

func child() {
	report := os.NewFile(3, "report")
	if os.Getenv(holdEnv) != "" {
		patient, grace = 200*time.Millisecond, 200*time.Millisecond
	}
	store, _, err := session.Open(os.Getenv("XDG_STATE_HOME"))
	if err == nil {
		err = Run(context.Background(), &childBackend{report: report}, Options{Store: store})
	}
	fmt.Fprintf(report, "ended: %v\n", err)
	os.Exit(0)
}

// terminal is a workbench on a terminal.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	report bytes.Buffer
	hold   *os.File // closed lets its runs close, if holdEnv is set
	state  string   // the folder of its session
	done   chan error
	mu     sync.Mutex
	out    bytes.Buffer
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	held, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: exec.Command(os.Args[0]), hold: hold, state: t.TempDir(), done: make(chan error, 1)}
	x.cmd.Env = append(os.Environ(), childEnv+"=1", "TERM=xterm-256color", "LC_ALL=C.UTF-8", "XDG_STATE_HOME="+x.state)
	x.cmd.ExtraFiles = []*os.File{w, held}
	x.tty, err = pty.StartWithSize(x.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	w.Close()
	held.Close()
	t.Cleanup(func() {
		hold.Close()
		x.cmd.Process.Kill()
		x.tty.Close()
	})
	var readers sync.WaitGroup
	readers.Go(func() { io.Copy(x, x.tty) })
	readers.Go(func() { io.Copy(&x.report, r) })
	go func() {
		err := x.cmd.Wait()
		readers.Wait()
		x.done <- err
	}()
	return x
}

func (x *terminal) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.Write(b)
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

// shows waits until the terminal has been sent a text.
func (x *terminal) shows(text string) {
	x.t.Helper()
	x.waits(strconv.Quote(text), func() bool { return strings.Contains(x.output(), text) })
}

// waits waits until something is so.
func (x *terminal) waits(what string, is func() bool) {
	x.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if is() {
			return
		}
	}
	x.t.Fatalf("%s never came; the terminal shows the end of\n%q", what, x.output())
}

func (x *terminal) types(s string) {
	if _, err := x.tty.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// ended waits for the program to end and checks what it leaves.
func (x *terminal) ended() {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(20 * time.Second):
		x.t.Fatal("the program does not end")
	}
	out := x.output()
	if strings.LastIndex(out, "\x1b[?1049l") < strings.LastIndex(out, "\x1b[?1049h") {
		x.t.Error("the terminal is left on the alternate screen")
	}
	if strings.LastIndex(out, "\x1b[?25h") < strings.LastIndex(out, "\x1b[?25l") {
		x.t.Error("the cursor is left hidden")
	}
	if strings.Contains(out, "\x1b[?1002h") && strings.LastIndex(out, "\x1b[?1002l") < strings.LastIndex(out, "\x1b[?1002h") {
		x.t.Error("the mouse is left captured")
	}
	if got := x.report.String(); !strings.HasPrefix(got, "closed\n") || !strings.Contains(got, "ended:") {
		x.t.Errorf("the run is left open: report %q", got)
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			x := newTerminal(t)
			x.shows("1 Probes")
			x.types("x\x12") // a script, ctrl+r
			x.shows("running")
			x.cmd.Process.Signal(sig)
			x.ended()
		})
	}
}

// TestSlowRunsGiveTheTerminalBack ends a workbench whose run does not close: its screen is
// given back all the same, what was open is remembered, and the run is waited for.
func TestSlowRunsGiveTheTerminalBack(t *testing.T) {
	t.Setenv(holdEnv, "1")
	x := newTerminal(t)
	x.shows("1 Probes")
	x.types("x\x12")
	x.shows("running")
	remembered := func() string {
		b, _ := os.ReadFile(filepath.Join(x.state, "session.json")) // not there is not remembered
		return string(b)
	}
	x.waits("the session", func() bool { return remembered() != "" })
	before, drawn := remembered(), len(x.output())
	x.types("\x1b.") // widens a pane
	x.waits("the wider pane", func() bool { return strings.Contains(x.output()[drawn:], "1 Probes") })
	x.cmd.Process.Signal(syscall.SIGTERM)
	x.shows("\x1b[?1049l")
	x.waits("the session of the end", func() bool { return remembered() != before })
	select {
	case <-x.done:
		t.Fatal("the program ends before its run has")
	case <-time.After(time.Second):
	}
	x.hold.Close()
	x.ended()
	if got := x.report.String(); !strings.Contains(got, "ended by terminated") {
		t.Errorf("report %q", got)
	}
}

func TestPanicGivesTheTerminalBack(t *testing.T) {
	x := newTerminal(t)
	x.shows("1 Probes")
	x.types("x\x12")
	x.shows("running")
	x.types(" panic\x12")
	x.ended()
	if !strings.Contains(x.report.String(), "fault of its own") {
		t.Errorf("report %q", x.report.String())
	}
}

// TestNoQuestionsAtStart holds what package quiet is for: nothing is asked before there is a
// picture. What is asked then holds up nothing, and the answer is taken whenever it comes.
func TestNoQuestionsAtStart(t *testing.T) {
	x := newTerminal(t)
	x.shows(background)
	out := x.output()
	if drawn := strings.Index(out, "1 Probes"); drawn < 0 || drawn > strings.Index(out, background) {
		t.Errorf("the question comes before the picture: %q", out)
	}
	for _, query := range []string{"\x1b[6n", "\x1b[c"} {
		if strings.Contains(out, query) {
			t.Errorf("the terminal is asked %q", query)
		}
	}
	x.types("x\x12")
	x.shows("running")
	const light = "\x1b[38;5;25m" // the border of the pane in focus in the theme light
	if strings.Contains(x.output(), light) {
		t.Error("the theme is light before the terminal has said so")
	}
	x.types("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
	x.shows(light)
	x.types("\x03y")
	x.ended()
	if strings.Contains(x.output(), "rgb:") || strings.Count(x.output(), background) != 1 {
		t.Error("the answer was typed, or the question asked again")
	}
}

func TestKeysLeave(t *testing.T) {
	x := newTerminal(t)
	x.shows("1 Probes")
	x.types("x\x12")
	x.shows("running")
	x.types("\x03")
	x.shows("leave without saving")
	x.types("y")
	x.ended()
}
