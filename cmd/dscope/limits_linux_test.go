package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
)

// The workbench has scripts take each other's places where the engine can.
var _ ui.Swapper = (*engine.Engine)(nil)

// dearScript takes most of the time of whoever calls getppid all the time.
const dearScript = `syscall::getppid:entry
{
	uint64_t n = timestamp;
	for (int i = 0; i < 2000; i++)
		n = n * 31 + i;
	@[execname] = max(n);
}
`

// busyCalls has each CPU call getppid all the time, until the test ends.
func busyCalls(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		_, begin := started(t, "named", "busy", "0")
		begin()
	}
}

// TestAirBagOfTrace detaches what takes a CPU, and says so.
func TestAirBagOfTrace(t *testing.T) {
	mustTrace(t)
	busyCalls(t)
	cmd := exec.Command("dscope", "trace", "-x", "airbag=5%", "-s", script(t, dearScript))
	var out, told strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &told
	from := time.Now()
	killed := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	err := cmd.Run()
	killed.Stop()
	took := time.Since(from)
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(told.String(), trace.ErrTooDear.Error()+": its programs took") || !strings.Contains(told.String(), "more than airbag=5%") {
		t.Errorf("%v after %v:\n%s", err, took, told.String())
	}
	if !regexp.MustCompile(`busy +-?[0-9]+`).MatchString(out.String()) {
		t.Errorf("what it had counted is not printed:\n%s", out.String())
	}
	t.Logf("%v: %s", took, strings.TrimSpace(told.String()))
}

// TestAirBagOfWorkbench detaches what takes a CPU, and resumes it with twice the limit.
func TestAirBagOfWorkbench(t *testing.T) {
	mustTrace(t)
	busyCalls(t)
	tty := openSize(t, 120, 40, nil, "dscope", script(t, "#pragma D option airbag=5%\n"+dearScript))
	tty.shows("getppid")
	tty.keys("\x12")
	tty.shows("running")
	from := time.Now()
	tty.shows("detached")
	t.Logf("detached after %v", time.Since(from))
	tty.until("why", regexp.MustCompile(`air bag: \d\d\d?% CPU, limit 5.0%`).MatchString)
	tty.keys("\x1bi")
	tty.until("the remedy", regexp.MustCompile(`took \d\d\d?% of all CPUs, the limit is 5.0%`).MatchString)
	tty.keys("r")
	tty.shows("#pragma D option airbag=10%")
	tty.until("a run with twice the limit that counts", regexp.MustCompile(`running  .*[1-9]\d* keys?  .*`).MatchString)
	tty.keys("\x14")
	tty.until("its end", regexp.MustCompile(`(done|detached)  .*[1-9]\d* keys?  `).MatchString)
	tty.keys("\x03y")
	tty.end()
	tty.givenBack()
}

// TestForeseenOfWorkbench asks before a script that would take more than it may, and runs it
// all the same.
func TestForeseenOfWorkbench(t *testing.T) {
	mustTrace(t)
	busyCalls(t)
	text := "#pragma D option estimate=0.01%\nsyscall::getppid:entry { @[execname] = count(); }\n"
	tty := openSize(t, 120, 40, nil, "dscope", script(t, text))
	tty.shows("getppid")
	tty.keys("\x12")
	tty.shows("estimating")
	tty.until("the question", regexp.MustCompile(`It would take about [\d,]+ hits/s, [\d.]+% of a CPU`).MatchString)
	tty.shows("line 2: syscall::getppid:entry")
	tty.keys("\x1b")
	tty.until("no question", func(p string) bool {
		return !strings.Contains(p, "Run it?") && strings.Contains(p, "not started: about")
	})
	tty.keys("\x12")
	tty.shows("It would take")
	tty.keys("\x12")
	tty.shows("running")
	tty.keys("\x1bi")
	tty.until("what was expected beside what it takes", regexp.MustCompile(`estimate about [^\n]*asked above[^\n]*\n[^\n]*takes +[\d,]+ hits/s`).MatchString)
	t.Log("\n" + facts(tty.picture()))
	tty.keys("\x03")
	tty.shows("Leave?")
	tty.keys("y")
	tty.end()
	tty.givenBack()
}

// facts returns the lines of a picture that tell of what a run takes.
func facts(picture string) (out string) {
	for _, line := range strings.Split(picture, "\n") {
		if strings.Contains(line, "estimate about") || strings.Contains(line, "takes ") {
			out += fmt.Sprintln(strings.TrimSpace(line))
		}
	}
	return out
}
