package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A screen is a model of the terminal that the workbench draws on: enough of
// one to know which letters stand where, what the modes are, and whether a
// control code came through that dscope has no business to send.
type screen struct {
	w, h   int
	x, y   int
	cells  [][]string // "" is the right half of a wide letter
	rest   []byte     // a sequence that has not come whole
	alt    bool       // the alternate screen is shown
	hidden bool       // the cursor is hidden
	cut    bool       // lines end at the edge, and do not go on in the next
	modes  map[string]bool
	titles []string // what OSC and DCS sequences said
	odd    []string // sequences that no workbench sends
	bells  int
}

func newScreen(w, h int) *screen {
	s := &screen{modes: map[string]bool{}}
	s.resize(w, h)
	return s
}

func (s *screen) resize(w, h int) {
	s.w, s.h = w, h
	s.cells = nil
	for range h {
		s.cells = append(s.cells, blankRow(w))
	}
	s.x, s.y = 0, 0
}

func blankRow(w int) []string {
	row := make([]string, w)
	for i := range row {
		row[i] = " "
	}
	return row
}

// text is what a person would read, line by line, without trailing blanks.
func (s *screen) text() string {
	var lines []string
	for _, row := range s.cells {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.Join(lines, "\n")
}

// write takes output of the program.
func (s *screen) write(b []byte) {
	b = append(s.rest, b...)
	for len(b) > 0 {
		n := s.next(b)
		if n == 0 {
			break
		}
		b = b[n:]
	}
	s.rest = append([]byte(nil), b...)
}

// next obeys the first letter or sequence of b and returns its length; 0 means
// that it has not come whole.
func (s *screen) next(b []byte) int {
	switch c := b[0]; {
	case c == 0x1b:
		return s.escape(b)
	case c < 0x20 || c == 0x7f:
		s.control(c)
		return 1
	case !utf8.FullRune(b):
		return 0
	}
	r, n := utf8.DecodeRune(b)
	s.put(r)
	return n
}

func (s *screen) control(c byte) {
	switch c {
	case '\r':
		s.x = 0
	case '\n':
		s.down()
	case '\b':
		s.x = max(s.x-1, 0)
	case '\t':
		s.x = min(s.x/8*8+8, s.w-1)
	case 0x07:
		s.bells++
	default:
		s.odd = append(s.odd, strconv.QuoteToASCII(string(rune(c))))
	}
}

func (s *screen) down() {
	if s.y < s.h-1 {
		s.y++
		return
	}
	s.cells = append(s.cells[1:], blankRow(s.w))
}

func (s *screen) put(r rune) {
	w := ansi.StringWidth(string(r))
	if w == 0 {
		if s.x > 0 {
			s.cells[s.y][s.x-1] += string(r)
		}
		return
	}
	if s.x+w > s.w {
		if s.x = 0; s.cut {
			s.x = s.w - w
		} else {
			s.down()
		}
	}
	s.cells[s.y][s.x] = string(r)
	for i := 1; i < w; i++ {
		s.cells[s.y][s.x+i] = ""
	}
	s.x += w
}

// escape obeys a sequence that begins with ESC.
func (s *screen) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				s.csi(string(b[2:i]), b[i])
				return i + 1
			}
		}
		return 0
	case ']', 'P', '_', '^':
		text := string(b[2:])
		end, skip := strings.Index(text, "\x1b\\"), 2
		if bell := strings.IndexByte(text, 0x07); bell >= 0 && (end < 0 || bell < end) {
			end, skip = bell, 1
		}
		if end < 0 {
			return 0
		}
		s.titles = append(s.titles, text[:end])
		return 2 + end + skip
	}
	s.odd = append(s.odd, "ESC "+string(b[1]))
	return 2
}

// csi obeys one control sequence.
func (s *screen) csi(params string, final byte) {
	n := 1
	if v, err := strconv.Atoi(params); err == nil && v > 0 {
		n = v
	}
	switch final {
	case 'A':
		s.y = max(s.y-n, 0)
	case 'B':
		s.y = min(s.y+n, s.h-1)
	case 'C':
		s.x = min(s.x+n, s.w-1)
	case 'D':
		s.x = max(s.x-n, 0)
	case 'G':
		s.x = min(n, s.w) - 1
	case 'H', 'f':
		row, col, _ := strings.Cut(params, ";")
		y, _ := strconv.Atoi(row)
		x, _ := strconv.Atoi(col)
		s.y, s.x = min(max(y, 1), s.h)-1, min(max(x, 1), s.w)-1
	case 'J':
		s.eraseBelow(params == "2")
	case 'K':
		s.eraseLine(params)
	case 'h', 'l':
		s.mode(params, final == 'h')
	case 'm':
	default:
		s.odd = append(s.odd, "CSI "+params+string(final))
	}
}

func (s *screen) eraseBelow(all bool) {
	if all {
		for y := range s.cells {
			s.cells[y] = blankRow(s.w)
		}
		return
	}
	s.eraseLine("")
	for y := s.y + 1; y < s.h; y++ {
		s.cells[y] = blankRow(s.w)
	}
}

func (s *screen) eraseLine(how string) {
	from, to := min(s.x, s.w), s.w
	switch how {
	case "1":
		from, to = 0, min(s.x+1, s.w)
	case "2":
		from = 0
	}
	for x := from; x < to; x++ {
		s.cells[s.y][x] = " "
	}
}

func (s *screen) mode(name string, on bool) {
	switch name {
	case "?1049":
		s.alt = on
		s.eraseBelow(true)
	case "?25":
		s.hidden = !on
	case "?7":
		s.cut = !on
	default:
		if on {
			s.modes[name] = true
		} else {
			delete(s.modes, name)
		}
	}
}
