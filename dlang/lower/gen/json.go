package gen

import (
	"strconv"
	"strings"
)

// A jsonText is JSON text that is read from the left, until it turns out to be none.
type jsonText struct {
	s     string
	parts []string // of the path, from the one that is looked for
}

// jsonFind finds what path names in text, by descending into it.
func jsonFind(text, path string) (string, bool) {
	t := &jsonText{s: text, parts: strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(".[]", c) })}
	if len(t.parts) == 0 {
		t.parts = []string{""}
	}
	switch c, ok := t.token(); {
	case !ok:
		return "", false
	case c == '{':
		return t.object()
	case c == '[':
		return t.array()
	}
	return "", false
}

// token takes the next byte that is no blank.
func (t *jsonText) token() (byte, bool) {
	t.s = strings.TrimLeft(t.s, " \t\n\v\f\r")
	return t.next()
}

func (t *jsonText) next() (byte, bool) {
	if t.s == "" {
		return 0, false
	}
	c := t.s[0]
	t.s = t.s[1:]
	return c, true
}

func (t *jsonText) object() (string, bool) {
	for {
		if c, ok := t.token(); !ok || c != '"' {
			return "", false
		}
		key, ok := t.quoted()
		if !ok {
			return "", false
		}
		if c, ok := t.token(); !ok || c != ':' {
			return "", false
		}
		if s, over, ok := t.value(key == t.parts[0]); over {
			return s, ok
		}
	}
}

func (t *jsonText) array() (string, bool) {
	digits := strings.TrimLeft(t.parts[0], "0123456789")
	want, err := strconv.Atoi(t.parts[0][:len(t.parts[0])-len(digits)])
	if err != nil && t.parts[0] != digits || strings.HasPrefix(digits, "-") && t.parts[0] == digits {
		want = -1
	}
	for i := 0; ; i++ {
		if s, over, ok := t.value(i == want); over {
			return s, ok
		}
	}
}

// value reads a value and the comma behind it. Over says that the search is.
func (t *jsonText) value(ours bool) (s string, over, ok bool) {
	c, ok := t.token()
	if !ok {
		return "", true, false
	}
	deeper := len(t.parts) > 1
	switch {
	case (c == '{' || c == '[') && ours && deeper:
		t.parts = t.parts[1:]
		if c == '{' {
			s, ok = t.object()
		} else {
			s, ok = t.array()
		}
		return s, true, ok
	case c == '{' || c == '[':
		s, ok = t.whole(c)
	case c == '"':
		s, ok = t.quoted()
	case 'a' <= c && c <= 'z':
		n := 0
		for n < len(t.s) && 'a' <= t.s[n] && t.s[n] <= 'z' {
			n++
		}
		s, t.s = string(c)+t.s[:n], t.s[n:]
		ok = t.s != "" && (s == "true" || s == "false" || s == "null")
	case c == '-' || '0' <= c && c <= '9':
		s, ok = t.number(c)
	default:
		ok = false
	}
	if !ok || ours {
		return s, true, ok && !deeper
	}
	c, ok = t.token()
	return "", !ok || c != ',', false
}

// quoted reads a string up to its end.
func (t *jsonText) quoted() (string, bool) {
	all := t.s
	for {
		c, ok := t.next()
		switch {
		case !ok:
			return "", false
		case c == '"':
			return all[:len(all)-len(t.s)-1], true
		case c != '\\':
			continue
		}
		if c, ok = t.next(); ok && c == 'u' {
			for range 4 {
				if c, ok = t.next(); !ok || strings.IndexByte("0123456789abcdefABCDEF", c) < 0 {
					return "", false
				}
			}
		}
	}
}

// whole reads what an opening c begins, to where everything in it is closed.
func (t *jsonText) whole(c byte) (string, bool) {
	all := string(c) + t.s
	braces, brackets := 0, 0
	for ok := true; ; {
		switch c {
		case '{':
			braces++
		case '}':
			braces--
		case '[':
			brackets++
		case ']':
			brackets--
		case '"':
			if _, ok := t.quoted(); !ok {
				return "", false
			}
		}
		if braces < 0 || brackets < 0 {
			return "", false
		}
		if braces == 0 && brackets == 0 {
			return all[:len(all)-len(t.s)], true
		}
		if c, ok = t.next(); !ok {
			return "", false
		}
	}
}

// number reads the rest of a number, which something must follow.
func (t *jsonText) number(c byte) (string, bool) {
	s, dot, exp := string(c), false, false
	for t.s != "" {
		c := t.s[0]
		switch {
		case '0' <= c && c <= '9' || exp && (c == '+' || c == '-'):
		case c == '+' || c == '-' || !dot && !exp && (c == 'x' || c == 'X'):
			return "", false
		case c == '.' && !dot && !exp:
			dot = true
		case (c == 'e' || c == 'E') && !exp:
			exp = true
		default:
			return s, true
		}
		s, t.s = s+string(c), t.s[1:]
	}
	return "", false
}
