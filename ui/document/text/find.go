package text

import (
	"regexp"
	"strings"
	"unicode"
)

// A Query is what is looked for in a text, line by line. Small letters stand for capitals too
// unless it has a capital itself. The zero Query finds nothing.
type Query struct {
	text string
	re   *regexp.Regexp // nil if the text stands for itself
	fold bool
}

// NewQuery returns a query for a text, or for a regular expression in Go's syntax, of which an
// error says what is wrong.
func NewQuery(s string, isRegexp bool) (Query, error) {
	q := Query{text: s, fold: !strings.ContainsFunc(s, unicode.IsUpper)}
	if !isRegexp || s == "" {
		return q, nil
	}
	if fold := !hasCapital(s); fold {
		s = "(?i)" + s
	}
	var err error
	q.re, err = regexp.Compile(s)
	return q, err
}

// RegexpQuery returns a query for a regular expression that says itself whether case counts.
func RegexpQuery(re *regexp.Regexp) Query { return Query{text: re.String(), re: re} }

// hasCapital reports whether a regular expression has a capital that stands for itself, as
// \W does not.
func hasCapital(s string) bool {
	escaped := false
	for _, r := range s {
		if !escaped && unicode.IsUpper(r) {
			return true
		}
		escaped = !escaped && r == '\\'
	}
	return false
}

// Text returns what is looked for as it was typed.
func (q Query) Text() string { return q.text }

// Matches returns the places in line where the query is found, none of them empty. Folding the
// case of a letter may change its length in bytes, so in texts it is done for ASCII only.
func (q Query) Matches(line string) (out [][2]int) {
	if q.text == "" {
		return nil
	}
	if q.re != nil {
		for _, m := range q.re.FindAllStringIndex(line, -1) {
			if m[0] < m[1] {
				out = append(out, [2]int{m[0], m[1]})
			}
		}
		return out
	}
	query := q.text
	if q.fold {
		line, query = lowerASCII(line), lowerASCII(query)
	}
	for at := 0; ; {
		i := strings.Index(line[at:], query)
		if i < 0 {
			return out
		}
		out = append(out, [2]int{at + i, at + i + len(query)})
		at += i + len(query)
	}
}

// Replaced returns what takes the place of a match in line. In the replacement of a regular
// expression $1 is what its first group has found.
func (q Query) Replaced(line string, match [2]int, with string) string {
	if q.re == nil {
		return with
	}
	for _, m := range q.re.FindAllStringSubmatchIndex(line, -1) {
		if m[0] == match[0] && m[1] == match[1] {
			return string(q.re.ExpandString(nil, with, line, m))
		}
	}
	return with
}

func lowerASCII(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
