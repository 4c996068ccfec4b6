package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/vt"
)

// A judge looks at every frame that the workbench draws, as a terminal emulator of other
// people's making shows it, and as the tests' own, which measures rune by rune. Of both it
// wants that the panes' edges stand where they stood. The emulator is wider than the
// terminal that it stands for, so that what goes beyond the edge is seen.
type judge struct {
	w, h    int
	emu     *vt.Emulator
	own     *screen
	pending []byte // what may be the beginning of a frame only
	col     int    // where the edge between the panes is; -1 before the first whole frame
	frames  int
	marks   []string        // of the lines that are in the last frame
	seen    map[string]bool // of those that have been in one
	faults  []string
}

// beyond is how much wider the emulator is.
const beyond = 40

func newJudge(w, h int) *judge {
	j := &judge{w: w, h: h, emu: vt.NewEmulator(w+beyond, h), own: newScreen(w, h), col: -1, seen: map[string]bool{}}
	go io.Copy(io.Discard, j.emu) // it answers questions, for which nobody waits here
	return j
}

// judged calls a judge who has seen all from the first frame on.
func (tty *terminal) judged(w, h int) *judge {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	tty.judge = newJudge(w, h)
	tty.judge.write(tty.raw)
	return tty.judge
}

// write takes what the workbench writes, frame by frame: the last thing in a frame is that
// the cursor goes to the last line, where nothing is erased then.
func (j *judge) write(b []byte) {
	j.pending = append(j.pending, b...)
	home, erased := fmt.Appendf(nil, "\x1b[%d;1H", j.h), []byte("\x1b[K")
	for at := 0; ; {
		i := bytes.Index(j.pending[at:], home)
		if i < 0 {
			return
		}
		at += i + len(home)
		rest := j.pending[at:]
		if len(rest) < len(erased) && bytes.HasPrefix(erased, rest) && len(rest) > 0 {
			return // it has not come whole
		}
		if bytes.HasPrefix(rest, erased) {
			continue
		}
		j.frame(j.pending[:at])
		j.pending = bytes.Clone(rest)
		at = 0
	}
}

// frame draws one frame and looks at it.
func (j *judge) frame(b []byte) {
	j.frames++
	j.controls(b)
	j.emu.Write(b)
	j.own.write(b)
	if len(j.own.odd) > 0 || j.own.bells > 0 {
		j.fault("control sequences %q, %d bells", j.own.odd, j.own.bells)
		j.own.odd, j.own.bells = nil, 0
	}
	j.marks = nil
	theirs := make([][]string, j.h)
	for y := range theirs {
		for x := range j.w + beyond {
			text := ""
			if c := j.emu.CellAt(x, y); c != nil {
				text = c.Content
			}
			if x < j.w {
				theirs[y] = append(theirs[y], text)
			} else if strings.TrimSpace(text) != "" {
				j.fault("line %d goes on to column %d: %q", y+1, x+1, text)
			}
		}
		line := strings.Join(theirs[y], "")
		for _, m := range lineMark.FindAllString(line, -1) {
			j.seen[m] = true
			j.marks = append(j.marks, m)
		}
	}
	if j.col < 0 {
		j.col = edge(theirs[0])
	}
	j.edges("the emulator", theirs)
	j.edges("rune by rune", j.own.cells)
}

// edge returns the column in which the panes on the left and on the right meet, -1 if the
// row shows none.
func edge(row []string) int {
	for x, c := range row {
		if x > 0 && strings.ContainsAny(c, "┬┮┭┯┰┱┲┳") {
			return x
		}
	}
	return -1
}

// edges complains where the edge between the panes is not where it was, or a pane's upper
// edge does not begin there and reach to the end of its row.
func (j *judge) edges(who string, rows [][]string) {
	if j.col < 0 {
		return
	}
	for y, row := range rows[:j.h-2] {
		at := firstRune(row[j.col])
		switch {
		case strings.ContainsRune("│┃┤┫┥┨", at):
		case strings.ContainsRune("├┬┝┠┣┢┡┞┟┮┭┯┰┱┲┳┼┿╂╋┽┾╀╁╄╃╆╅╇╈╉╊┵┶", at):
			if end := firstRune(row[j.w-1]); end != '─' && end != '━' {
				j.fault("%s: the upper edge in line %d ends in %q:\n%s", who, y+1, end, strings.Join(row, ""))
			}
		default:
			j.fault("%s: in line %d the edge of the panes is %q:\n%s", who, y+1, row[j.col], strings.Join(row, ""))
		}
	}
}

// firstRune is the character that marks of what stands before it may have been put on.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// controls complains of what a terminal would obey, beside the sequences of the workbench
// and a return that Bubble Tea writes before each of its own.
func (j *judge) controls(b []byte) {
	if !utf8.Valid(b) {
		j.fault("bytes that are no text are written: %q", b)
	}
	for i, r := range string(b) {
		if r == 0x1b || r == '\r' || !unicode.IsControl(r) && (r < 0x202a || r > 0x202e) && (r < 0x2066 || r > 0x2069) {
			continue
		}
		j.fault("%U is written: %q", r, b[max(i-20, 0):min(i+20, len(b))])
	}
}

// fault notes what is wrong with a frame; the first few tell enough.
func (j *judge) fault(form string, args ...any) {
	if len(j.faults) < 5 {
		j.faults = append(j.faults, fmt.Sprintf("frame %d: ", j.frames)+fmt.Sprintf(form, args...))
	}
}
