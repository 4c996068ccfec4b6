package engine

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// TestDivided runs a script with a clause for each of many system calls that together need
// more stack than a program has: they are done by several at the same hook, and each call
// fires once.
func TestDivided(t *testing.T) {
	e := tracing(t)
	calls := []string{"brk", "close", "mmap", "openat", "read", "write"} // cat makes
	entries, err := e.Match(t.Context(), "syscall:::entry")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for i, p := range entries {
		if i%4 == 0 || slices.Contains(calls, p.Function) {
			fmt.Fprintf(&script, "syscall::%s:entry /execname == \"cat\"/ { @%s[stack(), ustack()] = count(); @all[probefunc] = count(); }\n", p.Function, p.Function)
		}
	}
	script.WriteString("syscall:::entry /execname == \"cat\"/ { @every[probefunc] = count(); }\n")
	o := options.Default()
	c, err := e.Compile(t.Context(), Script{Name: "test", Text: script.String(), Options: o})
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, u := range c.plan.Units {
		if u.Hooks[0].Select == probes.BySyscall {
			programs++
		}
	}
	if programs < 2 || programs > 64 {
		t.Fatalf("%d programs", programs)
	}
	if n := len(c.plan.Object.Entries); n != 1 {
		t.Errorf("%d programs are attached", n)
	}
	s, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := exec.Command("cat", "/proc/self/stat", "/proc/self/maps").Run(); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	got := all(s, 0)
	lost := slices.DeleteFunc(got.status.Drops, func(d trace.Drop) bool {
		return d.Kind == trace.DropRecursion && e.machine.Facts.AtLeast(7, 0) // other threads' that came while one was preempted in a program
	})
	if len(lost) > 0 {
		t.Fatalf("lost: %v", lost)
	}
	named, sum, every := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, a := range got.snap.Aggs {
		for _, r := range a.Rows {
			switch a.Name {
			case "all":
				sum[r.Keys[0].Str] = r.Value
			case "every":
				every[r.Keys[0].Str] = r.Value
			default:
				named[a.Name] += r.Value
			}
		}
	}
	for _, call := range calls {
		if named[call] == 0 {
			t.Errorf("%s was not seen", call)
		}
	}
	for call, n := range named {
		if sum[call] != n || every[call] != n {
			t.Errorf("%s: %d by its own clause, %d by that of all of them, %d by that of every call", call, n, sum[call], every[call])
		}
	}
	for call := range every {
		if every[call] < named[call] || named[call] == 0 && sum[call] > 0 {
			t.Errorf("%s fired %d times", call, every[call])
		}
	}
}

// TestDividedComplaints sees that a script has all its complaints of which the compiler leaves a
// part at first, because it is too large for one program.
func TestDividedComplaints(t *testing.T) {
	e := tracing(t)
	entries, err := e.Match(t.Context(), "syscall:::entry")
	if err != nil {
		t.Fatal(err)
	}
	const wrong = "{ speculate(1); for (int i = 0; i < 3; i++) trace(i); }\n" // each round would leave a record
	var script strings.Builder
	for i, p := range entries {
		switch {
		case i == 1, i == len(entries)-1:
			fmt.Fprintf(&script, "syscall::%s:entry %s", p.Function, wrong)
		default:
			fmt.Fprintf(&script, "syscall::%s:entry { @%s[stack(), ustack()] = count(); @all[probefunc] = count(); }\n", p.Function, p.Function)
		}
	}
	_, err = e.Compile(t.Context(), Script{Name: "test", Text: script.String(), Options: options.Default()})
	list, ok := IsScriptError(err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	var lines []int
	for _, d := range list.List {
		line, _ := list.File.Position(d.At.From)
		lines = append(lines, line)
	}
	if want := []int{2, len(entries)}; !slices.Equal(lines, want) {
		t.Errorf("complaints of lines %v, want %v", lines, want)
	}
}
