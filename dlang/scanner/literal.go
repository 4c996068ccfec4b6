package scanner

import (
	"fmt"
	"math/bits"
	"strings"

	"dscope.dev/dlang/diag"
)

// A Fault says why a constant has no value.
type Fault struct {
	Code diag.Code
	Msg  string
}

// An IntLit is the meaning of an integer constant.
type IntLit struct {
	Value    uint64
	Unsigned bool  // u
	Longs    uint8 // the number of l's
}

// Int evaluates an integer constant: decimal, octal after 0, hexadecimal after
// 0x, with the suffixes u, l and ll in either order and case.
func Int(text string) (IntLit, *Fault) {
	var lit IntLit
	digits, base := text, uint64(10)
	switch {
	case len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x':
		digits, base = text[2:], 16
	case len(text) > 1 && text[0] == '0':
		digits, base = text[1:], 8
	}
	end := 0
	overflow := false
	for end < len(digits) {
		d := digit(digits[end])
		if d >= base {
			break
		}
		hi, lo := bits.Mul64(lit.Value, base)
		sum, carry := bits.Add64(lo, d, 0)
		overflow = overflow || hi != 0 || carry != 0
		lit.Value = sum
		end++
	}
	if !lit.suffix(digits[end:]) || end == 0 && base == 16 {
		return lit, badDigit(text, digits[end:])
	}
	if overflow {
		return lit, &Fault{diag.IntOverflow, fmt.Sprintf("%s does not fit 64 bits", text)}
	}
	return lit, nil
}

func badDigit(text, rest string) *Fault {
	if rest == "" {
		return &Fault{diag.IntDigit, fmt.Sprintf("%s lacks digits", text)}
	}
	return &Fault{diag.IntDigit, fmt.Sprintf("constant %s contains invalid digit %c", text, rest[0])}
}

// suffix takes u, l and ll and reports whether text is nothing else.
func (l *IntLit) suffix(text string) bool {
	switch strings.ToLower(text) {
	case "":
	case "u":
		l.Unsigned = true
	case "l":
		l.Longs = 1
	case "ll":
		l.Longs = 2
	case "ul", "lu":
		l.Unsigned, l.Longs = true, 1
	case "ull", "llu":
		l.Unsigned, l.Longs = true, 2
	default:
		return false
	}
	return true
}

// digit returns the value of a digit, or a value beyond every base.
func digit(c byte) uint64 {
	switch {
	case isDigit(c):
		return uint64(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10
	}
	return 99
}

// Char evaluates a character constant with its quotes. The bytes of one that
// holds several are packed with the first as the most significant, so 'ab' is
// 0x6162; unlike in C they are never negative.
func Char(text string) (int64, *Fault) {
	body := unescape(trimQuotes(text, '\''))
	switch {
	case body == "":
		return 0, &Fault{diag.CharNull, "'' holds no character"}
	case len(body) > 8:
		return 0, &Fault{diag.CharOverflow, fmt.Sprintf("a character constant holds at most 8 bytes, this one %d", len(body))}
	}
	var v uint64
	for i := range len(body) {
		v = v<<8 | uint64(body[i])
	}
	return int64(v), nil
}

// String evaluates a string constant with its quotes.
func String(text string) string { return unescape(trimQuotes(text, '"')) }

// trimQuotes takes the quotes away; the second may be missing.
func trimQuotes(text string, quote byte) string {
	if text != "" && text[0] == quote {
		text = text[1:]
	}
	if n := len(text); n > 0 && text[n-1] == quote {
		text = text[:n-1]
	}
	return text
}

// Unescape resolves the escapes of a text that has no quotes.
func Unescape(s string) string { return unescape(s) }

// unescape resolves the escapes of C. One that is none keeps its backslash, as
// in DTrace, to which \' and \? are none either: '\?' holds two characters.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			i++
			continue
		}
		c, n := escape(s[i+1:])
		if n == 0 {
			out = append(out, '\\', s[i+1])
			n = 1
		} else {
			out = append(out, c)
		}
		i += 1 + n
	}
	return string(out)
}

// escape reads what follows a backslash: the byte it means and the bytes it
// takes, 0 if it is no escape.
func escape(s string) (c byte, n int) {
	if i := strings.IndexByte(`abfnrtv"\`, s[0]); i >= 0 {
		return "\a\b\f\n\r\t\v\"\\"[i], 1
	}
	if s[0] == 'x' {
		for n = 1; n < len(s) && digit(s[n]) < 16; n++ {
			c = c<<4 | byte(digit(s[n]))
		}
		if n == 1 {
			return 0, 0
		}
		return c, n
	}
	for n = 0; n < len(s) && n < 3 && digit(s[n]) < 8; n++ {
		c = c<<3 | byte(digit(s[n]))
	}
	return c, n
}
