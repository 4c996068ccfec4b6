package probes

import (
	"fmt"
	"strings"
)

// A Pattern is a probe description. An empty part matches anything; the
// others may be globs: * any run of characters, ? any one, [a-z] and [!a-z]
// one of a set, \ the next character as it is.
type Pattern struct{ Provider, Module, Function, Name string }

// ParsePattern reads a probe description. What is written stands for the last
// parts: sched_switch is a name, read:entry a function and a name.
func ParsePattern(text string) (Pattern, error) {
	parts := strings.Split(strings.TrimSpace(text), ":")
	if len(parts) > 4 {
		return Pattern{}, fmt.Errorf("probe description %s has %d parts; "+
			"it can have four, provider:module:function:name", text, len(parts))
	}
	all := make([]string, 4-len(parts), 4)
	for _, part := range parts {
		all = append(all, strings.TrimSpace(part))
	}
	return Pattern{all[0], all[1], all[2], all[3]}, nil
}

// String returns provider:module:function:name.
func (p Pattern) String() string { return Probe(p).String() }

// Matches reports whether p covers q.
func (p Pattern) Matches(q Probe) bool {
	return Glob(p.Provider, q.Provider) && Glob(p.Module, q.Module) &&
		Glob(p.Function, q.Function) && Glob(p.Name, q.Name)
}

// A part is a part of a pattern, made ready to be compared with many names.
type part struct {
	text  string
	plain bool // whether it covers but its own text
}

func newPart(pattern string) part {
	return part{pattern, pattern != "" && !strings.ContainsAny(pattern, `*?[\`)}
}

func (p *part) covers(s string) bool {
	if p.plain {
		return p.text == s
	}
	return Glob(p.text, s)
}

// Glob reports whether pattern covers all of s; an empty pattern covers
// anything.
func Glob(pattern, s string) bool {
	return pattern == "" || glob(pattern, s)
}

// glob matches without recursion: a star remembers where it stood, and a
// mismatch goes back to let the last star take one character more.
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if n, ok := one(pattern[p:], s[i]); ok {
			p += n
			i++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// one matches c against the first element of pattern and returns the
// element's length.
func one(pattern string, c byte) (n int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pattern) > 1 {
			return 2, pattern[1] == c
		}
	case '[':
		if n, ok := set(pattern, c); n > 0 {
			return n, ok
		}
	}
	return 1, pattern[0] == c
}

// set matches c against [abc], [a-z] or [!a-z]. It returns 0 if the bracket
// is never closed and so stands for itself.
func set(pattern string, c byte) (n int, ok bool) {
	i, negate := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		negate = true
		i++
	}
	for first := true; i < len(pattern); first = false {
		lo := pattern[i]
		if lo == ']' && !first {
			return i + 1, ok != negate
		}
		hi := lo
		if i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']' {
			hi = pattern[i+2]
			i += 2
		}
		if lo <= c && c <= hi {
			ok = true
		}
		i++
	}
	return 0, false
}
