package text

import (
	"io"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// safe appends s to b so that it does no harm where the printer writes.
func (p *Printer) safe(b []byte, s string) []byte { return safe(b, s, p.o.Terminal) }

// AppendSafe appends to b text that is not ours: of a traced process, a file, a symbol,
// an argument. For a terminal every control character but newline and tab is spelled,
// as are bytes that are not UTF-8 and characters that reorder text. For anything else
// only ESC and the controls from U+0080 to U+009F are, the other ones by which sequences
// begin: what dtrace writes to a pipe stays what it is, and a terminal at the end of
// the pipe gets no sequences. What the format of a script's printf() says itself is the
// script's own, and goes out as it is.
func AppendSafe[T string | []byte](b []byte, s T, terminal bool) []byte {
	return safe(b, s, terminal)
}

func safe[T string | []byte](b []byte, s T, terminal bool) []byte {
	const esc = 0x1b
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if !terminal {
			n := 1
			switch {
			case c == esc:
				b = append(append(b, s[start:i]...), "^["...)
				start = i + 1
			case c == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] < 0xa0:
				b = spelled(append(b, s[start:i]...), rune(s[i+1]), 2, c)
				n, start = 2, i+2
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRune([]byte(s[i:min(i+utf8.UTFMax, len(s))]))
		if isHarmless(r, n) {
			i += n
			continue
		}
		b = spelled(append(b, s[start:i]...), r, n, c)
		i += n
		start = i
	}
	return append(b, s[start:]...)
}

// isHarmless reports whether a terminal only draws r, which took n bytes.
func isHarmless(r rune, n int) bool {
	switch {
	case r < 0xa0, r == utf8.RuneError && n <= 1, r == 0x2028, r == 0x2029:
		return false
	case r == 0x200c, r == 0x200d: // joiners that scripts and emoji need
		return true
	}
	return !unicode.Is(unicode.Cf, r)
}

// spelled appends a character that must not reach a terminal: ^[ for controls,
// \x9b for stray bytes, \u202e for the rest.
func spelled(b []byte, r rune, n int, c byte) []byte {
	const hex = "0123456789abcdef"
	switch {
	case c < ' ':
		return append(b, '^', c+'@')
	case c == 0x7f:
		return append(b, "^?"...)
	case r == utf8.RuneError && n <= 1:
		return append(b, '\\', 'x', hex[c>>4], hex[c&15])
	case r > 0xffff:
		b = append(b, '\\', 'U')
		for shift := 28; shift >= 0; shift -= 4 {
			b = append(b, hex[r>>shift&15])
		}
		return b
	}
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// A Screen writes what is said to people, all of it safe, whatever it is made of: the
// names, paths and messages in it may come from anywhere.
type Screen struct {
	w        io.Writer
	terminal bool

	mu   sync.Mutex
	part []byte // of a character that the next write completes
}

// NewScreen returns a Screen that writes to w, which may be a terminal.
func NewScreen(w io.Writer, terminal bool) *Screen { return &Screen{w: w, terminal: terminal} }

// Write writes p. A line always goes out whole.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.part, p...)
	end := whole(text)
	s.part = slices.Clone(text[end:])
	if _, err := s.w.Write(AppendSafe(make([]byte, 0, end), text[:end], s.terminal)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// whole returns where the last character of text begins if it is not complete, else the
// end.
func whole(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		at := len(text) - n
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}
