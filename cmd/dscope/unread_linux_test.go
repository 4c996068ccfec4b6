package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a terminal that nobody reads may cost, at unreadRate lines a second.
const (
	unreadRate = 100_000
	// unreadBudget is how many of a million lines the engine may lose: where others want
	// the CPUs too, the drain may wait for one longer than the kernel's buffers last. On a
	// quiet machine it was seen to lose none.
	unreadBudget = 10_000
)

// paced enters getppid so many times a second as its argument says, with the number of the
// call as an argument, evenly within what a sleep can do. It begins as calls does.
func paced() {
	rate, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fatal(err)
	}
	var b [1]byte
	os.Stdin.Read(b[:])
	begun := time.Now()
	for n := 0; ; time.Sleep(time.Millisecond) {
		for due := int(time.Since(begun).Seconds() * float64(rate)); n < due; n++ {
			syscall.RawSyscall(syscall.SYS_GETPPID, uintptr(n), 0, 0)
		}
	}
}

// lossLine is what the status line says of a run's events and losses.
var lossLine = regexp.MustCompile(`running +(\S+) .*?(\S+) events .*?(0 drops|▲ .*)`)

// TestUnread leaves the terminal of the workbench unread, for as long as DSCOPE_UNREAD
// says (5s), while a run prints 100,000 lines a second: the engine goes on, memory is
// bounded, and a SIGTERM detaches everything, on a quiet machine within a second.
func TestUnread(t *testing.T) {
	long, err := time.ParseDuration(cmp.Or(os.Getenv("DSCOPE_UNREAD"), "5s"))
	if err != nil {
		t.Fatal(err)
	}
	mustTrace(t)
	cmd, begin := started(t, "paced", strconv.Itoa(unreadRate))
	text := fmt.Sprintf("#pragma D option estimate=off\nsyscall::getppid:entry\n/pid == %d/\n{\n\tprintf(\"%%d %%s\\n\", arg0, execname);\n}\n", cmd.Process.Pid)
	tty := openSize(t, 200, 50, nil, "dscope", script(t, text)) // the size that flood gives
	tty.shows("getppid:entry")
	tty.keys("\x12")
	tty.shows(openSign)
	pid := tty.cmd.Process.Pid
	begin()
	tty.shows(" paced")

	tty.hold()
	defer tty.release()
	tty.flood()
	before := most(t, pid, long/2)
	after := most(t, pid, long-long/2)
	tty.release()
	tty.until("a picture of now", func(p string) bool {
		m := lossLine.FindStringSubmatch(p)
		return m != nil && gone(m[1]) >= long.Seconds()
	})
	m := lossLine.FindStringSubmatch(tty.picture())
	t.Logf("figures: unread for %v: running %s, %s events, %s, %d MB in the first half, %d MB in the second", long, m[1], m[2], m[3], before>>20, after>>20)
	events, drops := amount(m[2]), lost(m[3])
	if events+drops < unreadRate*long.Seconds()/2 {
		t.Errorf("%s events, %s: too few to show anything", m[2], m[3])
	}
	if allowed := events * unreadBudget / 1e6; idle() && drops > allowed { // others leave the engine no time to read
		t.Errorf("%s, of %s events", m[3], m[2])
	}
	if after > workbenchBound || idle() && after-before > growthBound {
		t.Errorf("takes %d MB, then %d MB", before>>20, after>>20)
	}

	held := heldBy(t, pid)
	tty.hold()
	tty.flood()
	from := time.Now()
	tty.cmd.Process.Signal(syscall.SIGTERM)
	detached := make(chan time.Duration, 1)
	go func() {
		for held.left() != nil && time.Since(from) < patience {
			time.Sleep(time.Millisecond)
		}
		detached <- time.Since(from)
	}()
	code := tty.end()
	took := <-detached
	t.Logf("figures: detached %v after SIGTERM, ended after %v", took.Round(time.Millisecond), time.Since(from).Round(time.Millisecond))
	if limit := map[bool]time.Duration{true: time.Second, false: 5 * time.Second}[idle()]; took > limit {
		t.Errorf("detached after %v, want %v at most", took, limit)
	}
	held.gone(t)
	if want := exitSignal + int(syscall.SIGTERM); code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
}

// gone reads how many seconds a run has been going on: 7.2s, 1:03.
func gone(s string) float64 {
	minutes, rest, ok := strings.Cut(s, ":")
	if !ok {
		minutes, rest = "0", strings.TrimSuffix(s, "s")
	}
	m, _ := strconv.ParseFloat(minutes, 64)
	n, _ := strconv.ParseFloat(rest, 64)
	return m*60 + n
}

// amount reads a number as the screen writes it: 417, 9.46k, 6.01M.
func amount(s string) float64 {
	unit := 1.0
	switch s[len(s)-1] {
	case 'k':
		unit = 1e3
	case 'M':
		unit = 1e6
	}
	if unit > 1 {
		s = s[:len(s)-1]
	}
	n, _ := strconv.ParseFloat(s, 64)
	return n * unit
}

// lost reads how much a loss is: ▲ 259,238 records on CPU 1 lost.
func lost(s string) float64 {
	n, _, _ := strings.Cut(strings.TrimPrefix(s, "▲ "), " ")
	return amount(strings.ReplaceAll(n, ",", ""))
}
