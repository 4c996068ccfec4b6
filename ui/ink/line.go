package ink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Placeholder stands for a character that a terminal would act on. It is ASCII,
// because what follows could combine with anything else.
const Placeholder = "?"

// A Line is one line of cells under construction, filled from left to right.
// Reset begins it. A Line may be used again and again; it keeps its memory.
type Line struct {
	buf  []byte
	w    int    // cells that the line will have
	x    int    // cells written
	last string // the last character written: what follows must not combine with it
	base Ink    // lies under every ink of this line
	cur  Ink    // what the terminal has switched on
}

// Reset begins a line of w cells, drawn on base.
func (l *Line) Reset(w int, base Ink) {
	l.buf, l.w, l.x, l.last, l.base, l.cur = l.buf[:0], max(w, 0), 0, "", base, Ink{}
}

// X returns how many cells have been written.
func (l *Line) X() int { return l.x }

// Left returns how many cells are still free.
func (l *Line) Left() int { return l.w - l.x }

// switchTo makes i the look of what follows.
func (l *Line) switchTo(i Ink) {
	i = i.Over(l.base)
	if i == l.cur {
		return
	}
	if l.cur.sgr != "" {
		l.buf = append(l.buf, "\x1b[0"...)
		if i.sgr != "" {
			l.buf = append(l.buf, ';')
		}
	} else {
		l.buf = append(l.buf, "\x1b["...)
	}
	l.buf = append(l.buf, i.sgr...)
	l.buf = append(l.buf, 'm')
	l.cur = i
}

// Put writes s, cut where the line ends, and returns how many cells it took.
func (l *Line) Put(i Ink, s string) int { return l.put(i, s, l.Left()) }

// put writes as much of s as fits into n cells.
func (l *Line) put(i Ink, s string, n int) int {
	n = min(n, l.Left())
	if n <= 0 || s == "" {
		return 0
	}
	l.switchTo(i)
	start := l.x
	if plain := plainPrefix(s, n); plain > 0 && !merges(l.last, s[:1]) {
		l.buf = append(l.buf, s[:plain]...)
		l.x += plain
		l.last, s = s[plain-1:plain], s[plain:]
	}
	for s != "" {
		cell, width, rest := next(s)
		if s = rest; cell == "" {
			continue
		}
		if merges(l.last, cell) {
			cell, width = Placeholder, 1
		}
		if l.x+width > start+n {
			break
		}
		l.buf = append(l.buf, cell...)
		l.x += width
		l.last = cell
	}
	return l.x - start
}

// merges reports whether b, written behind a, is taken as part of it.
func merges(a, b string) bool {
	if a == "" || agreedWidth(firstRune(a)) > 0 && agreedWidth(firstRune(b)) > 0 {
		return false
	}
	cluster, _ := ansi.FirstGraphemeCluster(a+b, ansi.GraphemeWidth)
	return len(cluster) > len(a)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// plainPrefix returns how many bytes of s, n at most, are ASCII characters. One before what
// is not ASCII is not counted, since a mark on it may follow.
func plainPrefix(s string, n int) int {
	i := 0
	for i < len(s) && i < n && s[i] >= ' ' && s[i] < 0x7f {
		i++
	}
	if i > 0 && i < len(s) && s[i] >= utf8.RuneSelf {
		i--
	}
	return i
}

// next splits off the first character of s, as a reader would call it, and says what to
// write for it and how wide that is. There may be nothing to write (see Agreed). Widths are
// those that Bubble Tea measures by when it cuts lines.
func next(s string) (cell string, width int, rest string) {
	if c := s[0]; c < utf8.RuneSelf {
		switch {
		case c == '\t':
			return " ", 1, s[1:]
		case c < ' ' || c == 0x7f:
			return Placeholder, 1, s[1:]
		case len(s) == 1 || s[1] < utf8.RuneSelf:
			return s[:1], 1, s[1:]
		}
	}
	cell, width = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	rest = s[len(cell):]
	if agreed := Agreed(cell); agreed != cell {
		cell, width = agreed, ansi.StringWidth(agreed)
		if cell == "" {
			return "", 0, rest
		}
	}
	if !harmless(cell) || width == 0 {
		return Placeholder, 1, rest
	}
	return cell, width, rest
}

// harmless reports whether a terminal only draws s.
func harmless(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || unicode.IsControl(r) || isBidi(r) || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// isBidi reports whether r overrides the direction of what follows it.
func isBidi(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' || r == '\u061c'
}

// Fit writes s into exactly n cells, from the left; if it is too long it ends
// in an ellipsis.
func (l *Line) Fit(i Ink, s string, n int) {
	n = min(n, l.Left())
	if n <= 0 {
		return
	}
	if Width(s) > n {
		used := l.put(i, s, n-1)
		l.Rep(i, " ", n-1-used)
		l.Rep(i, "…", 1)
		return
	}
	used := l.put(i, s, n)
	l.Rep(i, " ", n-used)
}

// FitEnd is Fit for texts whose end tells more than their beginning: what is
// cut is cut in front.
func (l *Line) FitEnd(i Ink, s string, n int) {
	n = min(n, l.Left())
	if w := Width(s); w > n && n > 1 {
		l.Rep(i, "…", 1)
		s = Drop(s, w-n+1)
		n--
	}
	l.Fit(i, s, n)
}

// Right writes s into exactly n cells, against the right edge.
func (l *Line) Right(i Ink, s string, n int) {
	n = min(n, l.Left())
	if pad := n - Width(s); pad > 0 {
		l.Rep(i, " ", pad)
		n -= pad
	}
	l.Fit(i, s, n)
}

// Rep writes n times s, which must be one cell wide and harmless.
func (l *Line) Rep(i Ink, s string, n int) {
	n = min(n, l.Left())
	if n <= 0 || s == "" {
		return
	}
	l.switchTo(i)
	if s == " " && n <= len(blanks) {
		l.buf = append(l.buf, blanks[:n]...)
	} else {
		for range n {
			l.buf = append(l.buf, s...)
		}
	}
	l.x += n
	l.last = s
}

// blanks serves short runs of blanks without an allocation.
const blanks = "                                                                                "

// Skip writes n blanks.
func (l *Line) Skip(n int) { l.Rep(Ink{}, " ", n) }

// To writes blanks until the line is x cells long.
func (l *Line) To(x int) { l.Rep(Ink{}, " ", x-l.x) }

// String fills up the line with blanks and returns it, its colours switched off.
func (l *Line) String() string {
	for l.x < l.w {
		l.Rep(Ink{}, " ", min(l.w-l.x, len(blanks)))
	}
	if l.cur.sgr != "" {
		l.buf = append(l.buf, "\x1b[0m"...)
		l.cur = Ink{}
	}
	return string(l.buf)
}

// Width returns how many cells Put would use for s on an endless line.
func Width(s string) int {
	w := plainPrefix(s, len(s))
	for s = s[w:]; s != ""; {
		_, width, rest := next(s)
		w, s = w+width, rest
	}
	return w
}

// Drop returns s without its first n cells, for panes that scroll sideways.
func Drop(s string, n int) string {
	plain := plainPrefix(s, n)
	s, n = s[plain:], n-plain
	for s != "" && n > 0 {
		_, width, rest := next(s)
		s, n = rest, n-width
	}
	return s
}

// Blank returns w blanks; none if w is negative.
func Blank(w int) string {
	if w <= len(blanks) {
		return blanks[:max(w, 0)]
	}
	return strings.Repeat(" ", w)
}
