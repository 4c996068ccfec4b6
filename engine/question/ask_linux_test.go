package question_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine"
	"dscope.dev/engine/question"
	"dscope.dev/engine/trace"
)

// quiet are the questions that a load cannot make say something without harm to the
// machine, or whose hardware a machine need not have: of these it is enough that they run.
var quiet = map[string]string{
	"oom-kills":      "the machine would have to run out of memory",
	"direct-reclaim": "the machine would have to be short of memory",
	"disk-errors":    "a disk would have to fail",
	"disk-queue":     "a disk need not have a scheduler",
	"disk-flushes":   "a disk need not have a cache",
	"cpu-interrupts": "a machine need not have devices that interrupt",
	"cpu-idle":       "a machine under load need not become idle",
}

// patience is how long a question has to say something.
const patience = 20 * time.Second

// TestAsked asks each question of this kernel, under a load that has something to say to it;
// several at a time, because each mostly waits.
func TestAsked(t *testing.T) {
	e := tracing(t)
	target := load(t)
	for _, q := range question.All() {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			asked(t, e, q, target)
		})
	}
}

func asked(t *testing.T, e *engine.Engine, q question.Question, target int) {
	ctx := context.Background()
	script := trace.Script{Text: q.Text, Options: []string{"estimate=off"}} // many are asked at a time
	if q.Target() {
		script.Target = target
	}
	if list := e.Check(ctx, script); list.Failed() {
		if q.FBT && strings.Contains(list[0].Msg, "cannot be traced here") {
			t.Skip(list[0].Msg)
		}
		t.Fatal(&diag.ListError{List: list})
	}
	run, err := e.Run(ctx, script)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	o := listen(run, quiet[q.Name] == "")
	switch {
	case o.status.State == trace.Failed:
		t.Error(o.status.Err)
	case o.fault != "":
		t.Errorf("fault: %s", o.fault)
	case o.rows == 0 && quiet[q.Name] != "":
		t.Logf("it ran and said nothing: %s", quiet[q.Name])
	case o.rows == 0:
		t.Errorf("it has said nothing in %v; drops %v", patience, o.status.Drops)
	default:
		t.Logf("%d rows", o.rows)
	}
}

// An outcome is what a run has said until it was stopped.
type outcome struct {
	rows   int
	fault  string
	status trace.Status
}

// listen reads a run to its end, and has it end once it runs and, if it must say something,
// has done so.
func listen(run trace.Run, mustSpeak bool) outcome {
	var o outcome
	events, snaps, states := run.Events(), run.Snapshots(), run.Status()
	late := time.After(patience)
	for events != nil || snaps != nil || states != nil {
		select {
		case <-late:
			run.Stop()
		case batch, ok := <-events:
			if !ok {
				events = nil
			}
			for _, ev := range batch {
				if ev.Kind == trace.FaultEvent && o.fault == "" {
					o.fault = ev.Notice()
				}
			}
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			o.rows = 0
			for _, table := range s.Aggs {
				o.rows += len(table.Rows)
			}
			if o.rows > 0 || !mustSpeak {
				run.Stop()
			}
		case s, ok := <-states:
			if !ok {
				states = nil
				break
			}
			o.status = s
		}
	}
	return o
}

// tracing returns an engine that can trace, or skips the test with the reason. CI must be
// able to.
func tracing(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Open()
	if err == nil {
		t.Cleanup(func() { e.Close() })
		err = e.Available()
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must be able to trace: %v", err)
		}
		t.Skipf("cannot trace: %v", err)
	}
	return e
}

// load starts the load and returns the number of its process.
func load(t *testing.T) int {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skipf("no compiler for the load: %v", err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "load")
	if out, err := exec.Command(cc, "-O1", "-w", "-pthread", "-o", program, "testdata/load.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // with all children, which are in its group
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the load began with %q: %v", line, err)
	}
	return cmd.Process.Pid
}
