package main

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// coloured finds what sets a colour: bold, underlined and the like do not.
var coloured = regexp.MustCompile("\x1b\\[([0-9]*;)*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m")

// TestPoorTerminals opens the workbench where little can be drawn: it draws
// that, runs, and gives the terminal back.
func TestPoorTerminals(t *testing.T) {
	mustTrace(t)
	const text = "tick-50ms { @ticks[execname] = count(); }\n"
	for _, tt := range []struct {
		name string
		set  []string
		w, h int
		ok   func(raw string) bool
	}{
		{"no colour", []string{"NO_COLOR=1"}, 80, 24, func(raw string) bool {
			return !coloured.MatchString(raw)
		}},
		{"sixteen colours", []string{"TERM=xterm", "COLORTERM="}, 80, 24, func(raw string) bool {
			return !strings.Contains(raw, "\x1b[38;2") && !strings.Contains(raw, ";38;2;")
		}},
		{"no UTF-8", []string{"LANG=C", "LC_ALL=C"}, 80, 24, func(raw string) bool {
			for _, c := range []byte(raw) {
				if c >= 0x80 {
					return false
				}
			}
			return true
		}},
		{"small", nil, 40, 12, nil},
		{"large", nil, 300, 100, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tty := openSize(t, tt.w, tt.h, append([]string{"NO_COLOR="}, tt.set...), "dscope", script(t, text))
			tty.shows("tick-50ms")
			tty.keys("\x12\x1b3")
			tty.shows("@ticks")
			if out := tty.output(); tt.ok != nil && !tt.ok(out) {
				t.Errorf("draws what the terminal cannot: %.3000q", out)
			}
			tty.keys("qy")
			if code := tty.end(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			tty.givenBack()
		})
	}
}

// TestResize changes the size of the terminal while a script runs, down to
// one that holds nothing and back.
func TestResize(t *testing.T) {
	mustTrace(t)
	tty := open(t, nil, "dscope", script(t, "tick-20ms { @ticks[execname] = count(); printf(\"line\\n\"); }\n"))
	tty.shows("tick-20ms")
	tty.keys("\x12")
	tty.shows("@ticks")
	for _, size := range []struct {
		w, h  int
		shows string
	}{{20, 5, ""}, {10, 3, "needs"}, {1, 1, ""}, {200, 60, "@ticks"}, {40, 10, "tick"}, {300, 100, "@ticks"}, {80, 24, "@ticks"}} {
		tty.mu.Lock()
		tty.screen.resize(size.w, size.h)
		tty.mu.Unlock()
		if err := pty.Setsize(tty.master, &pty.Winsize{Rows: uint16(size.h), Cols: uint16(size.w)}); err != nil {
			t.Fatal(err)
		}
		tty.shows(size.shows)
	}
	tty.keys("\x03y")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.givenBack()
}

// TestSuspend stops dscope trace by ctrl+z and lets it go on, as a shell does.
func TestSuspend(t *testing.T) {
	mustTrace(t)
	tty := open(t, nil, "dscope", "trace", "-q", "-n", `tick-20ms { printf("tick %d\n", n++); } tick-1s { exit(0); }`)
	tty.shows("tick 0")
	tty.cmd.Process.Signal(syscall.SIGSTOP)
	tty.cmd.Process.Signal(syscall.SIGCONT)
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.settle()
	lines := strings.Split(strings.TrimSpace(tty.picture()), "\n")
	var last int
	fmt.Sscanf(lines[len(lines)-1], "tick %d", &last)
	if last < 40 {
		t.Errorf("did not go on:\n%s", tty.picture())
	}
}
