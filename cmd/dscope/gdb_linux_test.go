package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A point is where a debugger and dscope are compared: a firing of a probe, and the
// break there.
type point struct {
	probe string // function and name of the probe
	at    string // where gdb breaks
	skip  int    // firings before
}

// points of the programs of testdata/gdb.
var points = map[string][]point{
	"points": {
		{"leaf:entry", "leaf", 0}, {"leaf:entry", "leaf", 1}, {"inner:entry", "inner", 0}, {"inner:entry", "inner", 1},
		{"leaf:entry", "leaf", 2}, {"recur:entry", "recur", 3}, {"tail:entry", "tail", 0}, {"leaf:entry", "leaf", 3},
		{"compare:entry", "compare", 1}, {"handler:entry", "handler", 0}, {"leaf:entry", "leaf", 4}, {"leaf:entry", "leaf", 5},
		{"leaf:entry", "leaf", 6},
	},
	"shapes": {
		{"plane??leaf*:entry", "plane::leaf", 0}, {"plane??leaf*:entry", "plane::leaf", 1}, {"plane??leaf*:entry", "plane::leaf", 2},
		{"plane??leaf*:entry", "plane::leaf", 4}, {"plane??Circle??area*:entry", "plane::Circle::area", 0},
		{"plane??thrower*:entry", "plane::thrower", 0},
	},
	"tower": {
		{"tower??leaf*:entry", "tower::leaf", 0}, {"tower??leaf*:entry", "tower::leaf", 1}, {"tower??leaf*:entry", "tower::leaf", 2},
		{"tower??recur*:entry", "tower::recur", 2},
	},
	"stairs": {
		{"main.leaf:entry", "main.leaf", 0}, {"main.leaf:entry", "main.leaf", 1}, {"main.leaf:entry", "main.leaf", 2},
		{"main.leaf:entry", "main.leaf", 4}, {"main.recur:entry", "main.recur", 2},
	},
}

// TestAgainstGDB compares the stacks that ustack() shows with those of gdb: in programs
// of four languages, with their debug information, with that in a file of its own, and
// with none.
func TestAgainstGDB(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("gdb is asked about x86-64")
	}
	if testing.Short() {
		t.Skip("starts a debugger")
	}
	if !canTrace(t) {
		t.Skip("needs privileges to trace")
	}
	needs(t, "gdb", "gcc", "g++", "objcopy", "setarch")
	openToAll(t)
	dir := t.TempDir()
	for name, build := range map[string][]string{
		"points": {"gcc", "-O2", "-g", "-o", "points", "points.c"},
		"shapes": {"g++", "-O2", "-g", "-o", "shapes", "shapes.cc"},
		"tower":  {"rustc", "-O", "-g", "-o", "tower", "tower.rs"},
		"stairs": {"go", "build", "-o", "stairs", "stairs.go"},
	} {
		t.Run(name, func(t *testing.T) {
			needs(t, build[0])
			file := build[len(build)-1]
			kept := file
			if name == "stairs" {
				kept += ".txt" // it is no package of the module
			}
			source, err := os.ReadFile(filepath.Join("..", "..", "testdata", "gdb", kept))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, file), source, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			output(t, dir, build[0], build[1:]...)
			if name == "stairs" { // a signal that takes the CPU away at a breakpoint has gdb count that twice
				t.Setenv("GODEBUG", "asyncpreemptoff=1")
			}
			compare(t, filepath.Join(dir, name), points[name])
			if name == "points" || name == "shapes" {
				t.Run("split", func(t *testing.T) {
					output(t, dir, "objcopy", "--only-keep-debug", name, name+".debug")
					output(t, dir, "objcopy", "--strip-all", "--add-gnu-debuglink="+name+".debug", name, name+"-split")
					compare(t, filepath.Join(dir, name+"-split"), points[name])
				})
			}
			if name == "points" {
				t.Run("stripped", func(t *testing.T) { compareStripped(t, filepath.Join(dir, name)) })
			}
		})
	}
}

// needs skips where a command is missing that CI installs; rustc it does not.
func needs(t *testing.T, commands ...string) {
	t.Helper()
	for _, c := range commands {
		if _, err := exec.LookPath(c); err == nil {
			continue
		}
		if os.Getenv("CI") != "" && c != "rustc" {
			t.Fatalf("needs %s", c)
		}
		t.Skipf("needs %s", c)
	}
}

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		var said []byte
		if exit, ok := err.(*exec.ExitError); ok {
			said = exit.Stderr
		}
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, said)
	}
	return string(out)
}

// compare compares the stacks of a program at some points, from the innermost frame to
// main().
func compare(t *testing.T, program string, list []point) {
	t.Helper()
	want, shown := debugged(t, program, list), traced(t, program, list)
	for i, p := range list {
		got := shown[i]
		for k := range min(len(got), len(want[i])) {
			if want[i][k] == "signal" && (got[k] == "restore_rt" || strings.HasPrefix(got[k], "0x")) {
				got[k] = "signal" // what a handler returns to, which gdb has a word of its own for
			}
		}
		if a, b := strings.Join(got, "\n\t"), strings.Join(want[i], "\n\t"); a != b || len(got) < 2 {
			t.Errorf("%s after %d: ustack() shows\n\t%s\ngdb\n\t%s", p.probe, p.skip, a, b)
		}
	}
}

// compareStripped compares addresses where there are no names, of the same points.
func compareStripped(t *testing.T, program string) {
	t.Helper()
	address := map[string]string{}
	for _, line := range strings.Split(output(t, filepath.Dir(program), "nm", program), "\n") {
		if f := strings.Fields(line); len(f) == 3 {
			address[f[2]] = strings.TrimLeft(f[0], "0")
		}
	}
	bare := program + "-stripped"
	output(t, filepath.Dir(program), "objcopy", "--strip-all", program, bare)
	var list []point
	for _, p := range points["points"] {
		if at := address[p.at]; at != "" {
			list = append(list, point{"-:" + at, "*(0x555555554000+0x" + at + ")", p.skip})
		}
	}
	if len(list) < 8 {
		t.Fatalf("of %d points %v are left", len(points["points"]), list)
	}
	compare(t, bare, list)
}

// gdbScript is what gdb is told to do at each point. Frames that it infers of calls in tail
// position, of which nothing is on the stack, are left out.
const gdbScript = `
import gdb, json
gdb.execute("set confirm off")
gdb.execute("set debuginfod enabled off")
gdb.execute("set pagination off")
gdb.execute("set breakpoint pending on")
gdb.execute("set inferior-tty /dev/null")
gdb.execute("handle SIGUSR1 nostop noprint")
gdb.execute("handle SIGURG nostop noprint")
stacks = []
for at, skip in json.loads(%q):
    gdb.execute("starti", to_string=True) # addresses are there once the program is
    b = gdb.Breakpoint(at)
    b.ignore_count = skip
    gdb.execute("continue", to_string=True)
    frames, f = [], gdb.newest_frame()
    while f is not None:
        if f.type() == gdb.SIGTRAMP_FRAME:
            frames.append(["signal", "", 0])
        elif f.type() != gdb.TAILCALL_FRAME:
            frames.append([f.name() or "", "inlined" if f.type() == gdb.INLINE_FRAME else "", f.pc()])
        f = f.older()
    stacks.append(frames)
    b.delete()
    gdb.execute("kill")
print("STACKS " + json.dumps(stacks))
`

// debugged returns the stacks that gdb shows.
func debugged(t *testing.T, program string, list []point) (stacks [][]string) {
	t.Helper()
	var at [][2]any
	for _, p := range list {
		at = append(at, [2]any{p.at, p.skip})
	}
	spec, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	file := program + ".py"
	if err := os.WriteFile(file, fmt.Appendf(nil, gdbScript, spec), 0o644); err != nil {
		t.Fatal(err)
	}
	out := output(t, filepath.Dir(program), "timeout", "120", "gdb", "-nx", "-q", "-batch", "-x", file, program)
	_, text, ok := strings.Cut(out, "STACKS ")
	var raw [][][3]any
	if !ok || json.Unmarshal([]byte(text), &raw) != nil {
		t.Fatalf("gdb says %s", out)
	}
	for _, frames := range raw {
		var s []string
		for _, f := range frames {
			name, pc := plainName(f[0].(string)), uint64(f[2].(float64))
			if name == "" {
				name = fmt.Sprintf("%#x", pc)
			}
			if f[1] != "" {
				name += " inlined"
			}
			s = append(s, name)
		}
		stacks = append(stacks, upToMain(s))
	}
	return stacks
}

var frameLine = regexp.MustCompile("^ +(?:[^`]*`)?(.*?)(\\+0x[0-9a-f]+)?( \\[inlined\\])?$")

// traced returns the stacks that dscope shows, of a program that lies where gdb has it.
func traced(t *testing.T, program string, list []point) (stacks [][]string) {
	t.Helper()
	var script strings.Builder
	for i, p := range list {
		fmt.Fprintf(&script, "int seen%d;\npid$target:a.out:%s /seen%d++ == %d/ { printf(\"STACK %d\\n\"); ustack(); }\n", i, p.probe, i, p.skip, i)
	}
	out := output(t, filepath.Dir(program), "timeout", "60", "setarch", "-R", "dscope", "trace", "-q", "-x", "strsize=1k", "-n", script.String(), "-c", program)
	stacks = make([][]string, len(list))
	at := -1
	for _, line := range strings.Split(out, "\n") {
		if n, ok := strings.CutPrefix(line, "STACK "); ok {
			var err error
			if at, err = strconv.Atoi(n); err != nil || at >= len(list) || stacks[at] != nil {
				t.Fatalf("%q:\n%s", line, out)
			}
			continue
		}
		m := frameLine.FindStringSubmatch(line)
		if m == nil || at < 0 {
			continue
		}
		name := plainName(m[1])
		if m[3] != "" {
			name += " inlined"
		}
		stacks[at] = append(stacks[at], name)
	}
	for i := range stacks {
		stacks[i] = upToMain(stacks[i])
	}
	return stacks
}

// plainName returns the name of a function as both spell it: without its parameters and
// what it returns, without what tells several names of one function or several parts of
// it apart, without the arguments of a generic of Rust, and for a method of a trait, which
// symbol and debug information call differently, only that it is one.
func plainName(name string) string {
	switch {
	case strings.HasPrefix(name, "0x"):
		return name
	case strings.HasSuffix(name, "operator()") || strings.Contains(name, "operator()("):
		return "operator()"
	}
	if i := strings.Index(name, "("); i > 0 && !strings.HasSuffix(name[:i], "::") {
		name = name[:i]
	}
	if result, rest, ok := strings.Cut(name, " "); ok && !strings.ContainsAny(result, "<(") {
		name = rest
	}
	for _, part := range []string{".part.", ".constprop.", ".isra.", ".cold"} {
		name, _, _ = strings.Cut(name, part)
	}
	if m := traitMethod.FindStringSubmatch(name); m != nil {
		return "a trait's " + m[1]
	}
	if strings.HasPrefix(name, "tower::") {
		name, _, _ = strings.Cut(name, "<")
	}
	return strings.TrimLeft(strings.TrimPrefix(name, "__GI_"), "_")
}

var traitMethod = regexp.MustCompile(`^(?:<.* as .*>|.*\{impl#\d+\})::(\w+)$`)

// upToMain cuts off those who call main().
func upToMain(frames []string) []string {
	for i, f := range frames {
		switch f {
		case "main", "main.main", "tower::main":
			return frames[:i+1]
		case "libc_start_call_main":
			return frames[:i]
		}
	}
	return frames
}
