package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns s so that a terminal can only draw it: control characters and
// bytes that are not UTF-8 are spelled out, as are the invisible characters
// that reorder or hide text. Tabs become one blank and line ends a sign, for
// Safe makes one line; split first where lines matter. Text that is already
// harmless is returned as it is.
func Safe(s string) string {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteString(Glyph(r, s[:n]))
		s = s[n:]
	}
	return b.String()
}

// Glyph returns how the character r is drawn; raw is its bytes. ESC is ^[ as
// terminals and editors have always shown it, a stray byte \x9b, an invisible
// character \u202e.
func Glyph(r rune, raw string) string {
	switch {
	case r >= ' ' && r < 0x7f:
		return raw
	case r == '\t':
		return " "
	case r < ' ':
		return "^" + string(r+'@')
	case r == 0x7f:
		return "^?"
	case r == utf8.RuneError && len(raw) == 1:
		return hex(`\x`, rune(raw[0]), 2)
	case isHarmful(r):
		return Spell(r)
	}
	return raw
}

// Spell returns a character by its number, as Go and C spell it: \u202e.
func Spell(r rune) string {
	if r > 0xffff {
		return hex(`\U`, r, 8)
	}
	return hex(`\u`, r, 4)
}

// isHarmful reports whether r must not reach the terminal as it is: C1
// controls (ESC [ in one character), line separators, and format characters
// that reorder text. The joiners that emoji and scripts need stay.
func isHarmful(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029:
		return true
	case r == 0x200c, r == 0x200d:
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cs, r)
}

func hex(prefix string, v rune, digits int) string {
	out := []byte(prefix)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		out = append(out, "0123456789abcdef"[v>>shift&15])
	}
	return string(out)
}
