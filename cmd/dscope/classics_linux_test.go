package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestClassics runs tools that wrap D in a shell, as they have been written for twenty
// years: options in shell variables, constant ?: around actions, dtrace from the path.
func TestClassics(t *testing.T) {
	if !canTrace(t) {
		t.Skip("needs privileges to trace")
	}
	openToAll(t)
	p := scriptParams(t, filepath.Join("..", "..", "testdata", "classics"))
	p.Cmds["shows"] = shows
	testscript.Run(t, p)
}

// shows PATTERN WORK TOOL … runs a tool in the foreground of nobody, and the work beside it
// again and again until the tool prints what the pattern matches; then it interrupts the
// tool, as Ctrl-C does, and reads what it printed. What a tool prints at its end cannot be
// awaited: where it does not match, the tool and the work are given more time.
func shows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: shows pattern work tool args...")
	}
	re, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	var out []byte
	for last := 500 * time.Millisecond; last < time.Minute; last *= 2 {
		if out = interrupted(ts, re, last, args[1], args[2:]); re.Match(out) {
			ts.Check(os.WriteFile(ts.MkAbs("shown"), out, 0o644))
			return
		}
	}
	ts.Fatalf("%s never showed %s:\n%s", args[2:], args[0], out)
}

// interrupted runs a tool until it shows what is wanted, or for a time, and returns what
// it printed.
func interrupted(ts *testscript.TestScript, re *regexp.Regexp, last time.Duration, work string, tool []string) []byte {
	file, err := os.Create(ts.MkAbs("printed"))
	ts.Check(err)
	defer file.Close()
	cmd := command(ts, tool...)
	cmd.Stdout, cmd.Stderr = file, file
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for end := time.Now().Add(last); time.Now().Before(end); {
		if err := command(ts, "sh", work).Run(); err != nil {
			ts.Logf("%s: %v", work, err)
		}
		time.Sleep(20 * time.Millisecond) // for whoever reads what the work causes
		if printed, err := os.ReadFile(file.Name()); err != nil || re.Match(printed) {
			break
		}
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		ts.Fatalf("%s goes on after an interrupt", tool[0])
	}
	printed, err := os.ReadFile(file.Name())
	ts.Check(err)
	return printed
}

// command is a command of the script, in a group of its own as a shell starts one.
func command(ts *testscript.TestScript, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"), "HOME="+ts.Getenv("HOME"), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}
