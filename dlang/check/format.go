package check

import (
	"fmt"
	"strings"
)

// A FormatError says what is wrong with a format, and where in it.
type FormatError struct {
	From, To int // byte offsets into the format
	Msg      string
	Lone     bool // whether what looks like a conversion may be a plain percent sign
}

func (e *FormatError) Error() string { return e.Msg }

// verbs are the conversions of D's printf; flags, sizes stand before them.
const (
	verbs       = "aAcCdeEfgGiIkopPsSTuxXY"
	formatFlags = "-+ #0'?"
)

// ParseFormat takes a printf format apart. Arg is the number of the conversion
// and Type is nil, until the format is put to its values.
func ParseFormat(text string) (*Format, []Range, error) {
	most := 2*strings.Count(text, "%") + 1
	f := &Format{Text: text, Parts: make([]FormatPart, 0, most)}
	at := make([]Range, 0, most)
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			f.Parts = append(f.Parts, FormatPart{Literal: lit.String()})
			at = append(at, Range{})
			lit.Reset()
		}
	}
	for i := 0; i < len(text); {
		switch {
		case text[i] != '%':
			n := strings.IndexByte(text[i:], '%')
			if n < 0 {
				n = len(text) - i
			}
			lit.WriteString(text[i : i+n])
			i += n
			continue
		case strings.HasPrefix(text[i:], "%%"):
			lit.WriteByte('%')
			i += 2
			continue
		}
		part, n, err := conversion(text[i:])
		if err != "" {
			lone := i+n == len(text) || strings.IndexByte(verbs, text[i+n-1]) < 0
			return nil, nil, &FormatError{From: i, To: i + n, Msg: err, Lone: lone}
		}
		flush()
		f.Parts = append(f.Parts, part)
		at = append(at, Range{i, i + n})
		i += n
	}
	flush()
	return f, at, nil
}

// A Range is a part of a text, in bytes.
type Range struct{ From, To int }

// conversion reads one conversion at the start of s and returns its length. If
// it is wrong, msg says how.
func conversion(s string) (p FormatPart, n int, msg string) {
	p.Prec = -1
	n = 1
	for n < len(s) && (strings.IndexByte(formatFlags, s[n]) >= 0 || s[n] == '@') {
		if s[n] == '@' {
			p.Agg = true
		} else {
			p.Flags += s[n : n+1]
		}
		n++
	}
	p.Width, p.WidthArg, n = number(s, n)
	if n < len(s) && s[n] == '.' {
		p.Prec, p.PrecArg, n = number(s, n+1)
	}
	if n < len(s) && s[n] == '@' {
		p.Agg = true
		n++
	}
	for n < len(s) && strings.IndexByte("hlLqw", s[n]) >= 0 {
		if s[n] == 'w' {
			p.Wide = true
		} else {
			p.Size += s[n : n+1]
		}
		n++
	}
	if n == len(s) {
		return p, n, "the format ends inside of a conversion"
	}
	p.Verb = s[n]
	n++
	switch {
	case strings.IndexByte(verbs, p.Verb) < 0:
		return p, n, fmt.Sprintf("printf has no conversion %%%s%c", p.Size, p.Verb)
	case p.Wide && !sizeFits(p):
		return p, n, fmt.Sprintf("w does not go together with %s%c", p.Size, p.Verb)
	case !sizeFits(p):
		return p, n, fmt.Sprintf("%s does not go together with %c", p.Size, p.Verb)
	case p.Width > maxWidth || p.Prec > maxWidth:
		return p, n, fmt.Sprintf("a width of more than %d makes no sense", maxWidth)
	}
	return p, n, ""
}

// WideChars reports whether a conversion prints wide characters: %wc, %ws, and %lc, %ls as C
// spells them.
func (p FormatPart) WideChars() bool {
	return p.Wide || p.Size == "l" && (p.Verb == 'c' || p.Verb == 's')
}

// maxWidth bounds what a format may pad a value to, in columns: each is a byte of
// memory.
const maxWidth = 1 << 24

// number reads a width or a precision: digits, or *.
func number(s string, n int) (v int, arg bool, end int) {
	if n < len(s) && s[n] == '*' {
		return 0, true, n + 1
	}
	for n < len(s) && isDigit(s[n]) {
		v = min(10*v+int(s[n]-'0'), maxWidth+1)
		n++
	}
	return v, false, n
}

// sizeFits reports whether the size before a verb has a meaning.
func sizeFits(p FormatPart) bool {
	switch {
	case p.Wide:
		return p.Size == "" && (p.Verb == 'c' || p.Verb == 's')
	case p.Size == "":
		return true
	case p.Size == "L":
		return strings.IndexByte("eEfgG", p.Verb) >= 0
	case p.Size == "l" && (p.Verb == 'c' || p.Verb == 's'):
		return true
	case p.Size == "h" || p.Size == "hh" || p.Size == "l" || p.Size == "ll" || p.Size == "q":
		return strings.IndexByte("diouxX", p.Verb) >= 0
	}
	return false
}
