package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"dscope.dev/ui/ink"
)

// lineMark is what a random line begins with, so that it is known again on the screen.
var lineMark = regexp.MustCompile(`[SNK][0-9]{4}`)

// blocks are ranges of Unicode that terminals draw in one way or another.
var blocks = [][2]rune{
	{' ', '~'}, {'a', 'z'}, {0, 0x1f}, {0x7f, 0x9f}, // letters, control characters
	{0xa0, 0x2ff}, {0x300, 0x36f}, {0x483, 0x489}, // marks
	{0x590, 0x6ff}, {0x600, 0x605}, {0x202a, 0x202e}, {0x2066, 0x2069}, {0x200b, 0x200f}, // right to left, and its marks
	{0x900, 0xdff}, {0xe00, 0xeff}, {0x1000, 0x109f}, // India, Thailand, Burma
	{0x1100, 0x11ff}, {0xac00, 0xd7a3}, {0xd7b0, 0xd7ff}, // Korea, in parts and whole
	{0x2000, 0x206f}, {0x20d0, 0x20ff}, {0x2190, 0x2bff}, {0x2500, 0x259f},
	{0x3000, 0x30ff}, {0x4e00, 0x9fff}, {0xff00, 0xffef}, {0x20000, 0x2fa1f}, // wide
	{0x1f1e6, 0x1f1ff}, {0x1f300, 0x1faff}, {0x1f3fb, 0x1f3ff}, {0xfe00, 0xfe0f}, {0xe0100, 0xe01ef}, {0xe0020, 0xe007f},
	{0x10a00, 0x11fff}, {0x1d400, 0x1d7ff}, {0xe000, 0xf8ff}, {0xfdd0, 0xffff},
}

// pieces are what people write that are more than one character.
var pieces = []string{
	"👨\u200d👩\u200d👧\u200d👦", "👍\U0001f3fd", "🏳\ufe0f\u200d🌈", "🇩🇪", "🇩", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	"1\ufe0f\u20e3", "❤\ufe0f", "❤\ufe0e", "e\u0301\u0302\u0303", "\u0301", "\u200d", "क्ष", "नि", "தி", "กำ", "ᄀ\u1161\u11a8", "שלום", "مرحبا", "﷽",
	"\t", "\x1b[31m", "\x1b]0;owned\x07", "\u009b2J", "\x9b2J", "\xff\xfe", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d", "日本語", "│", "━", "█",
}

// randomLine returns a line that no terminal is fond of. No file can be called otherwise
// than without a slash.
func randomLine(r *rand.Rand) string {
	var b strings.Builder
	for range 3 + r.IntN(25) {
		if r.IntN(3) == 0 {
			b.WriteString(pieces[r.IntN(len(pieces))])
			continue
		}
		block := blocks[r.IntN(len(blocks))]
		for range 1 + r.IntN(4) {
			b.WriteRune(block[0] + r.Int32N(block[1]-block[0]+1))
		}
	}
	return strings.Map(func(c rune) rune {
		if c == 0 || c == '\n' || c == '/' {
			return 'x'
		}
		return c
	}, b.String()[:min(b.Len(), 200)])
}

// TestUnicodeFrames has the workbench show lines of all that Unicode has, and of bytes that
// are no text: in the script, as output of a real run, and as its keys. In each frame every
// edge of a pane is where it was, no line is wider than the screen, and nothing is written
// that a terminal would obey.
func TestUnicodeFrames(t *testing.T) {
	mustTrace(t)
	lines := 1000 // at each size
	if testing.Short() {
		lines = 100
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) { unicodeFrames(t, size[0], size[1], lines) })
	}
}

func unicodeFrames(t *testing.T, w, h, lines int) {
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	var text bytes.Buffer
	// The last name is to be the last line, also where the test moves to another CPU. What
	// waits for the screen opens files of /proc meanwhile, all to be closed on exec.
	fmt.Fprintf(&text, "#pragma D option estimate=off\n#pragma D option temporal\nsyscall::openat:entry\n/pid == %d && !(arg2 & %d)/\n{\n", os.Getpid(), unix.O_CLOEXEC)
	text.WriteString("\t@[strjoin(\"K\", copyinstr(arg1))] = count();\n\tprintf(\"N%s\\n\", copyinstr(arg1));\n}\n/*\n")
	var names []string
	for n := range lines {
		fmt.Fprintf(&text, "S%04d %s\n", n, strings.ReplaceAll(randomLine(r), "*", "+"))
		names = append(names, fmt.Sprintf("%04d%s", n, randomLine(r)))
	}
	text.WriteString("*/\n")

	tty := openSize(t, w, h, nil, "dscope", script(t, text.String()))
	j := tty.judged(w, h)
	tty.shows("openat:entry")
	tty.leaf("S", "\x1b[1;5H", lines)
	tty.keys("\x12")
	tty.shows(openSign)
	for _, name := range names {
		if fd, err := unix.Open(name, unix.O_RDONLY, 0); err == nil {
			unix.Close(fd)
		}
	}
	tty.keys("\x1b4") // the output
	tty.shows("N" + names[lines-1][:4])
	tty.leaf("N", "\x1b[H", lines)
	tty.keys("\x1b3") // the keys
	tty.leaf("K", "\x1b[H", lines)
	tty.keys("\x1b1\x1b\x10\x1b2") // the script changes places with the probes: now it has an edge behind it
	tty.mu.Lock()
	clear(j.seen)
	tty.mu.Unlock()
	tty.leaf("S", "\x1b[1;5H", lines)
	tty.mu.Lock()
	tty.judge = nil // what gives the terminal back is no frame
	tty.mu.Unlock()
	tty.cmd.Process.Signal(syscall.SIGTERM)
	tty.end()
	t.Logf("%d frames", j.frames)
	if len(j.faults) > 0 {
		t.Errorf("%s", strings.Join(j.faults, "\n"))
	}
}

// leaf goes through a pane page by page until each of its lines has been in a frame. A frame
// may come of several keys, so that one passage may miss a page.
func (tty *terminal) leaf(kind, home string, lines int) {
	tty.t.Helper()
	end := fmt.Sprintf("%s%04d", kind, lines-1)
	for range 5 {
		tty.keys(home)
		tty.until("the first page", func(string) bool { return slices.Contains(tty.judge.marks, kind+"0000") })
		for last := false; !last; {
			before := tty.frames()
			tty.keys("\x1b[6~") // a page down
			tty.until("the next frame", func(string) bool {
				last = slices.Contains(tty.judge.marks, end)
				return last || tty.judge.frames > before
			})
		}
		if tty.marks(kind) == lines {
			return
		}
	}
	tty.t.Fatalf("%d lines of %d have been in a frame", tty.marks(kind), lines)
}

// marks returns how many lines of a kind have been in a frame.
func (tty *terminal) marks(kind string) (n int) {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	for m := range tty.judge.seen {
		if strings.HasPrefix(m, kind) {
			n++
		}
	}
	return n
}

// frames returns how many frames there have been.
func (tty *terminal) frames() int {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	return tty.judge.frames
}

// measured writes rows to the terminal as the workbench does, asks after each where the
// cursor is, and writes what is not as it should be to a file.
func measured() {
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		fatal(err)
	}
	const rows, width = 2000, 60
	r := rand.New(rand.NewPCG(1, 2))
	in := bufio.NewReader(os.Stdin)
	var l ink.Line
	var wrong bytes.Buffer
	for range rows {
		l.Reset(width, ink.Ink{})
		l.Put(ink.Ink{}, randomLine(r))
		row := l.String() + "|"
		fmt.Printf("\r\x1b[K%s\x1b[6n", ink.Pin(nil, row))
		answer, err := in.ReadString('R')
		if err != nil {
			fatal(err)
		}
		var y, x int
		fmt.Sscanf(answer[strings.LastIndexByte(answer, 0x1b):], "\x1b[%d;%dR", &y, &x)
		if x != width+2 {
			fmt.Fprintf(&wrong, "the cursor is in column %d, not %d, behind %+q\n", x, width+2, row)
		}
	}
	fmt.Fprintf(&wrong, "%d rows\n", rows)
	if err := os.WriteFile(os.Args[1]+".new", wrong.Bytes(), 0o666); err != nil {
		fatal(err)
	}
	if err := os.Rename(os.Args[1]+".new", os.Args[1]); err != nil {
		fatal(err)
	}
}

// TestTerminalsAgree asks real terminals where the cursor is behind each of 2,000 random
// rows: tmux, which measures by the C library, and the terminal of Neovim.
func TestTerminalsAgree(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start func(t *testing.T, program, file string) *exec.Cmd
	}{
		{"tmux", func(t *testing.T, program, file string) *exec.Cmd {
			socket := filepath.Join(t.TempDir(), "socket")
			t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
			return exec.Command("tmux", "-S", socket, "-f", "/dev/null", "-u", "new-session", "-d", "-x", "100", "-y", "30", program, file)
		}},
		{"nvim", func(t *testing.T, program, file string) *exec.Cmd {
			return exec.Command("nvim", "--headless", "-u", "NONE", "-c", "set columns=100",
				"-c", fmt.Sprintf("call termopen(['%s', '%s'], {'on_exit': {-> execute('qall!')}})", program, file))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath(tt.name); err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			program, err := exec.LookPath("measured")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "wrong")
			cmd := tt.start(t, program, file)
			cmd.Env = append(os.Environ(), "TMUX=", "LANG=C.UTF-8", "TERM=xterm-256color")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				cmd.Process.Kill()
				cmd.Wait()
			})
			var wrong []byte
			waitFor(t, "the answers of "+tt.name, func() bool {
				wrong, err = os.ReadFile(file)
				return err == nil
			})
			if string(wrong) != "2000 rows\n" {
				t.Errorf("%.2000s", wrong)
			}
		})
	}
}
