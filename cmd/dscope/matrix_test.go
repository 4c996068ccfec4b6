package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dscope.dev/engine"
	"dscope.dev/engine/lab"
)

// TestMatrix runs the checks of testdata/matrix on the kernel that runs. Package
// engine/lab runs it on the others; there the programs of the checks have been
// compiled before, and are in a folder for each check.
func TestMatrix(t *testing.T) {
	if !canTrace(t) {
		t.Skip("needs privileges to trace")
	}
	openToAll(t)
	p := scriptParams(t, filepath.Join("..", "..", "testdata", "matrix"))
	p.Cmds["cc"], p.Cmds["agrees"], p.Cmds["shows"], p.Cmds["killed"] = compiled, agrees, hasLines, killed
	others := p.Condition
	p.Condition = func(cond string) (bool, error) {
		if cond == "cc" {
			return canCompile(), nil
		}
		if cond == "copyout" {
			return mayWrite()
		}
		if cond == "lab" {
			return os.Getenv(builtBefore) != "", nil
		}
		if version, ok := strings.CutPrefix(cond, "kernel:"); ok {
			release, err := os.ReadFile("/proc/sys/kernel/osrelease")
			return strings.HasPrefix(string(release), version+"."), err
		}
		return others(cond)
	}
	testscript.Run(t, p)
}

// mayWrite reports whether programs may write to memory of processes.
func mayWrite() (bool, error) {
	e, err := engine.Open()
	if err != nil {
		return false, err
	}
	defer e.Close()
	return e.MayWrite() == nil, nil
}

// builtBefore names the variable that holds where programs are that have been
// compiled before.
const builtBefore = "DSCOPE_BUILT"

// compiled is cc name source [flags]: it puts a program into the folder of the
// script.
func compiled(ts *testscript.TestScript, neg bool, args []string) {
	p, err := lab.ParseProgram(args)
	if neg && err == nil {
		ts.Fatalf("cc cannot be expected to fail")
	}
	ts.Check(err)
	dir := os.Getenv(builtBefore)
	if dir == "" {
		ts.Check(p.Compile(ts.Getenv("WORK")))
		return
	}
	data, err := os.ReadFile(filepath.Join(dir, ts.Name(), p.Name))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(p.Name), data, 0o755))
}

// mostTries is how often a check is made at most while the tracer tells that the kernel has
// skipped firings: since 7.0 a thread may lose the CPU in the program of a system call, and
// until it has it again the kernel skips those of the other threads there. Where more threads
// want a CPU than there are, that is every run, and some firings are of the program under test.
const mostTries = 12

// unlessSkipped makes a check until it passes, as long as the tracer tells of firings that
// the kernel has skipped, and then returns why it does not.
func unlessSkipped(ts *testscript.TestScript, check func() (wrong string)) {
	for try := 1; ; try++ {
		wrong := check()
		if wrong == "" {
			return
		}
		if try == mostTries || !strings.Contains(ts.ReadFile("stderr"), "recursion miss") {
			ts.Fatalf("%s", wrong)
		}
	}
}

// agrees script.d command … runs a script over a command. What the script prints
// must be what the command prints, line by line, blank ones apart, and the tracer
// must have nothing to complain of, skipped firings of others apart.
func agrees(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: agrees script.d command args...")
	}
	unlessSkipped(ts, func() string { return differs(ts, args) })
}

// differs traces and returns what is not as the command has it.
func differs(ts *testscript.TestScript, args []string) string {
	const file = "agrees.out"
	os.Remove(ts.MkAbs(file))
	ts.Check(ts.Exec("dscope", "trace", "-q", "-x", "temporal", "-o", file, "-s", args[0], "-c", strings.Join(args[1:], " ")))
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if strings.HasPrefix(line, "dtrace:") && !excusable(line) {
			ts.Fatalf("the tracer complains: %s", line)
		}
	}
	got, want := filledLines(ts.ReadFile(file)), filledLines(ts.ReadFile("stdout"))
	if len(want) == 0 {
		ts.Fatalf("%s prints nothing to agree with", args[1])
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("line %d differs; traced:\n%s\nthe program:\n%s", i+1, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	return ""
}

// hasLines is shows patterns command …: it runs a command, whose output each pattern of a
// file must match exactly once.
func hasLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: shows patterns command args...")
	}
	patterns := filledLines(ts.ReadFile(args[0]))
	if len(patterns) == 0 {
		ts.Fatalf("%s: no patterns", args[0])
	}
	unlessSkipped(ts, func() string {
		ts.Check(ts.Exec(args[1], args[2:]...))
		output := ts.ReadFile("stdout")
		for _, p := range patterns {
			if n := len(regexp.MustCompile("(?m)"+p).FindAllString(output, -1)); n != 1 {
				return fmt.Sprintf("%d lines match %s:\n%s\n%s", n, p, output, ts.ReadFile("stderr"))
			}
		}
		return ""
	})
}

// excusable reports whether what the tracer says is no complaint: of firings that were
// others', and that a slow machine takes long to check programs.
func excusable(line string) bool {
	return strings.Contains(line, "recursion miss") || strings.Contains(line, "the kernel has been checking programs for")
}

func filledLines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// canCompile reports whether programs in C can be had.
func canCompile() bool {
	_, err := exec.LookPath("gcc")
	return err == nil || os.Getenv(builtBefore) != ""
}
