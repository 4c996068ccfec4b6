package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/ps"
	"dscope.dev/engine/trace"
)

// This test is the process that is looked at: what it executes, its functions by name,
// and what is known of one.
func TestProcessOfItsOwn(t *testing.T) {
	e := openEngine(t)
	ctx := context.Background()
	pid := os.Getpid()
	info, err := e.Process(ctx, pid)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Modules) == 0 || !info.Modules[0].Main || !strings.HasSuffix(info.Modules[0].Path, ".test") {
		t.Fatalf("modules: %+v", info.Modules)
	}
	// Whether it has the locks of the C library depends on how it was linked; a word on
	// them there must be.
	locks := slices.ContainsFunc(info.Probes, func(p trace.Probe) bool { return p.Provider == fmt.Sprintf("plockstat%d", pid) })
	none := slices.ContainsFunc(info.Missing, func(p trace.ProviderInfo) bool { return p.Name == "plockstat" && p.Unavailable != "" })
	if locks == none {
		t.Errorf("locks: %v; told to be missing: %v", locks, none)
	}
	began := time.Now()
	list, err := e.Functions(ctx, info.Process, info.Modules[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d probes in %v", len(list), time.Since(began))
	const name = "dscope.dev/engine.(*Engine).Functions"
	i := slices.IndexFunc(list, func(p trace.Probe) bool { return p.Function == name })
	if i < 0 || list[i].Name != "entry" || list[i+1].Function != name || list[i+1].Name != "return" {
		t.Fatalf("%s is not among %d probes", name, len(list))
	}
	described, err := e.Describe(ctx, list[i])
	if err != nil || described.Unavailable != "" || described.Hook == "" {
		t.Errorf("described as %+v, %v", described, err)
	}
	if got := e.Check(ctx, trace.Script{Text: fmt.Sprintf("pid%d:%s:%s:entry { trace(arg0); }", pid, trace.Spell(info.Modules[0].Name), trace.Spell(name))}); len(got) > 0 {
		t.Errorf("its spelling is refused: %s", got[0].Msg)
	}
}

func TestProcessThatEnds(t *testing.T) {
	e := openEngine(t)
	ctx := context.Background()
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	info, err := e.Process(ctx, cmd.Process.Pid)
	for last := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(last); { // the kernel may still be about to map the program
		info, err = e.Process(ctx, cmd.Process.Pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- e.Ended(ctx, info.Process) }()
	cmd.Process.Kill()
	cmd.Wait()
	var gone *ps.Ended
	if err := <-ended; !errors.As(err, &gone) {
		t.Errorf("its end is told as %v", err)
	}
	if _, err := e.Functions(ctx, info.Process, info.Modules[0]); !errors.As(err, &gone) {
		t.Errorf("its functions: %v", err)
	}
	if _, err := e.Process(ctx, cmd.Process.Pid); err == nil || !strings.HasPrefix(err.Error(), "there is no process ") {
		t.Errorf("the process: %v", err)
	}
}

func TestCompleteProcess(t *testing.T) {
	e := openEngine(t)
	pid := os.Getpid()
	const fn = "dscope.dev?engine.TestCompleteProcess:"
	for _, tt := range []struct {
		typed, want string
		target      int
	}{
		{fmt.Sprintf("pid%d", pid), fmt.Sprintf("pid%d:", pid), 0},
		{"pid$tar", "pid$target:", pid},
		{"plock", "plockstat$target:", pid},
		{fmt.Sprintf("pid%d:a.", pid), fmt.Sprintf("pid%d:a.out:", pid), 0},
		{"pid$target:engine", "pid$target:engine.test:", pid},
		{fmt.Sprintf("pid%d:a.out:dscope.dev?engine.TestCompleteP", pid), fmt.Sprintf("pid%d:a.out:%s", pid, fn), 0},
		{"pid$target::dscope.dev?engine.TestCompleteP", "pid$target::" + fn, pid},
		{"pid$target:a.out:" + fn + "e", "pid$target:a.out:" + fn + "entry", pid},
	} {
		began := time.Now()
		from, list := e.Complete(context.Background(), trace.Script{Text: tt.typed, Target: tt.target}, len(tt.typed))
		if from != 0 || !slices.ContainsFunc(list, func(c trace.Completion) bool { return c.Text == tt.want }) {
			t.Errorf("%s: from %d, %v", tt.typed, from, list)
		}
		t.Logf("%s: %v", tt.typed, time.Since(began))
	}
	for _, typed := range []string{"pid0:a", "pid999999999:a", "pid$target:", "pid1x:"} {
		if _, list := e.Complete(context.Background(), trace.Script{Text: typed}, len(typed)); len(list) > 0 {
			t.Errorf("%s: %v", typed, list)
		}
	}
}

// openEngine returns an engine over this machine.
func openEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}
