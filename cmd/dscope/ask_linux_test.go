package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestAskIsTrace: a question prints what dscope trace prints of its script. What a known load
// does is counted by both, one after the other.
func TestAskIsTrace(t *testing.T) {
	mustTrace(t)
	var script bytes.Buffer
	print := exec.Command("dscope", "ask", "--print", "target-calls")
	print.Stdout = &script
	if err := print.Run(); err != nil {
		t.Fatal(err)
	}
	names := func(args ...string) string {
		cmd := exec.Command("dscope", args...)
		cmd.Stdin = bytes.NewReader(script.Bytes())
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("dscope %q: %v\n%s", args, err, err.(*exec.ExitError).Stderr)
		}
		var list []string
		for line := range strings.Lines(string(out)) {
			if w := strings.Fields(line); len(w) == 1 && strings.HasPrefix(line, "  ") {
				list = append(list, w[0])
			}
		}
		return strings.Join(list, " ")
	}
	asked := names("ask", "-c", "ls /", "target-calls")
	traced := names("trace", "-q", "-s", "-", "-c", "ls /")
	if !strings.Contains(asked, "write") || sorted(asked) != sorted(traced) {
		t.Errorf("asked: %s\ntraced: %s", asked, traced)
	}
}

// sorted returns words in order: the slowest call, which is the last, is not the same each time.
func sorted(words string) string {
	list := strings.Fields(words)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestAskUntilInterrupted: without -t a question runs until Ctrl-C, and then prints.
func TestAskUntilInterrupted(t *testing.T) {
	mustTrace(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ask", "slow", "reads"}, "Distribution"},
		{[]string{"ask", "off-cpu"}, "Distribution"},
		{[]string{"ask", "-p", "", "target-calls"}, "getppid"},
	} {
		load, begin := started(t, "calls", "0")
		begin()
		for i, word := range tt.args {
			if word == "" {
				tt.args[i] = strconv.Itoa(load.Process.Pid)
			}
		}
		var out, errs lockedBuffer
		cmd := exec.Command("dscope", tt.args...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the sentence", func() bool { return strings.Contains(errs.String(), "Ctrl-C") })
		if out.Len() > 0 {
			t.Errorf("dscope %q prints before it ends: %s", tt.args, out.String())
		}
		// Something is to happen in between: a read, a switch, and calls of the load.
		exec.Command("cat", "/proc/self/status").Run()
		from := inKernel(t, load.Process.Pid)
		waitFor(t, "the load to make calls", func() bool { return inKernel(t, load.Process.Pid) > from+1 })
		cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("dscope %q: %v\n%s%s", tt.args, err, out.String(), errs.String())
		}
	}
}

// inKernel returns how many ticks of the clock a process has spent in the kernel.
func inKernel(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, behind, _ := strings.Cut(string(stat), ") ")
	ticks, err := strconv.Atoi(strings.Fields(behind)[12]) // stime of proc(5), two fields behind the name
	if err != nil {
		t.Fatal(err)
	}
	return ticks
}

// TestAskWhichOne: on a terminal one chooses among several, by number or name.
func TestAskWhichOne(t *testing.T) {
	tty := openSize(t, 100, 40, nil, "dscope", "ask", "--print", "retransmit", "tcp", "refused", "zebra")
	tty.shows("Which one? A number or a name; nothing leaves:")
	tty.keys("nonsense\r")
	tty.shows("nonsense is none of them.")
	tty.keys("tcp-refused\r")
	tty.shows(" * Which connections are refused?")
	tty.end()

	tty = openSize(t, 100, 40, nil, "dscope", "ask", "--print", "tcp")
	tty.shows("Which one?")
	tty.keys("\r")
	if code := tty.end(); code != exitUsage {
		t.Errorf("exit code %d of nothing chosen, want %d", code, exitUsage)
	}

	tty = openSize(t, 100, 80, nil, "dscope", "ask", "--print", "tcp")
	tty.shows("  1 tcp-accepts")
	tty.shows("Which one?")
	tty.keys("1\r")
	tty.shows(" * Which connections come in?")
	if code := tty.end(); code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
}
