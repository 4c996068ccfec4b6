package main

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownWrites traces every write of the machine, by trace() and by printf(), and
// counts those of dscope itself apart.
const ownWrites = `
syscall::write:entry { trace(arg2); }
syscall::write:entry { printf("%s wrote %d\n", execname, arg2); }
syscall::write:entry /pid == $pid/ { own++; }
tick-100ms { printf("OWN %d END\n", own); }
`

var (
	ownLine  = regexp.MustCompile(`OWN (\d+) END`)
	afterTwo = regexp.MustCompile(`running +([2-9]|\d\d)\.\ds`)
)

// TestOwnWrites traces all writes in a terminal, where each line printed is a
// write. The firings of dscope itself are left out, so that one does not bring
// forth the next; with option self they count, and even then the pace of the
// drain bounds them.
func TestOwnWrites(t *testing.T) {
	mustTrace(t)
	for _, tt := range []struct {
		name  string
		self  bool
		least int
		most  int // in two seconds
	}{
		{"left out", false, 0, 0},
		{"let in", true, 1, 2000},
	} {
		t.Run("trace, "+tt.name, func(t *testing.T) {
			args := []string{"trace", "-x", "switchrate=10ms"}
			if tt.self {
				args = append(args, "-x", "self")
			}
			cmd := exec.Command("dscope", append(args, "-n", ownWrites+"tick-2s { exit(0); }")...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			checkSelf(t, string(out), tt.least, tt.most)
		})
		t.Run("workbench, "+tt.name, func(t *testing.T) {
			text := ownWrites
			if tt.self {
				text = "#pragma D option self\n" + text
			}
			tty := openSize(t, 120, 60, nil, "dscope", script(t, text))
			tty.shows("wrote")
			tty.keys("\x12\x1b4") // run, and go to the output
			tty.shows("OWN ")
			tty.keys("+") // the whole screen for it
			lines := map[string]bool{}
			tty.until("two seconds of counts", func(p string) bool {
				for _, m := range ownLine.FindAllString(p, -1) {
					lines[m] = true
				}
				return len(lines) > 0 && afterTwo.MatchString(p) // others' writes may push the counts off the screen
			})
			checkSelf(t, strings.Join(slices.Collect(maps.Keys(lines)), "\n"), tt.least, tt.most)
		})
	}
}

// checkSelf holds the largest count of own writes between two bounds.
func checkSelf(t *testing.T, out string, least, most int) {
	t.Helper()
	found := ownLine.FindAllStringSubmatch(out, -1)
	if len(found) == 0 {
		t.Fatalf("no counts in %q", out)
	}
	own := 0
	for _, m := range found {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		own = max(own, n)
	}
	t.Logf("%d writes of its own", own)
	if own < least || own > most {
		t.Errorf("%d writes of its own, want %d to %d", own, least, most)
	}
}
