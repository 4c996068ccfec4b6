package text

import (
	"unicode"
	"unicode/utf8"
)

// safe appends s to b so that it does no harm where the printer writes.
func (p *Printer) safe(b []byte, s string) []byte { return safe(b, s, p.o.Terminal) }

// AppendSafe appends traced text to b. For a terminal every control character
// but newline and tab is spelled, as are bytes that are not UTF-8 and
// characters that reorder text. For anything else only ESC is spelled: what
// dtrace writes to a pipe stays what it is, and a terminal at the end of the
// pipe gets no sequences.
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
			if c == esc {
				b = append(append(b, s[start:i]...), "^["...)
				start = i + 1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune([]byte(s[i:min(i+utf8.UTFMax, len(s))]))
		if isHarmless(r, n) {
			i += n
			continue
		}
		b = spell(append(b, s[start:i]...), r, n, c)
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

// spell appends a character that must not reach a terminal: ^[ for controls,
// \x9b for stray bytes, \u202e for the rest.
func spell(b []byte, r rune, n int, c byte) []byte {
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
