package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A leaf is a key of a file with its value.
type leaf struct {
	path  []string
	value any
	line  int
}

func (l leaf) wrong(reason string) *Error {
	return &Error{Line: l.line, Key: strings.Join(l.path, "."), Reason: reason}
}

// mostFaults is how many lines are left out of a text before it is given up.
const mostFaults = 20

// read returns the leaves of a text in the order of lines. A line that is no TOML is left
// out, so that it costs what it says and no more.
func read(text string) (leaves []leaf, errs []*Error) {
	lines := strings.Split(text, "\n")
	for range mostFaults {
		var top map[string]toml.Primitive
		md, err := toml.Decode(strings.Join(lines, "\n"), &top)
		if err == nil {
			r := reader{md: &md}
			r.walk(nil, top)
			slices.SortStableFunc(r.leaves, func(a, b leaf) int { return cmp.Compare(a.line, b.line) })
			return r.leaves, errs
		}
		var bad toml.ParseError
		if !errors.As(err, &bad) || bad.Position.Line < 1 || bad.Position.Line > len(lines) {
			return nil, append(errs, &Error{Reason: err.Error()})
		}
		e := &Error{Line: bad.Position.Line, Reason: bad.Message}
		if e.Reason == "" {
			e.Reason = bad.Error()
		}
		if bad.LastKey != "" && strings.Contains(bad.Message, "defined") {
			e.Key = bad.LastKey
		}
		errs = append(errs, e)
		if lines[bad.Position.Line-1] == "" { // it is not the line that it is about
			return nil, errs
		}
		lines[bad.Position.Line-1] = ""
	}
	return nil, append(errs, &Error{Reason: "too many lines are no TOML: nothing of it is taken"})
}

// A reader walks a text that was decoded.
type reader struct {
	md     *toml.MetaData
	leaves []leaf
}

func (r *reader) walk(path []string, table map[string]toml.Primitive) {
	for name, p := range table {
		l := leaf{path: append(slices.Clone(path), name)}
		_ = r.md.PrimitiveDecode(p, &l.value) // any value goes into an any
		if _, ok := l.value.(map[string]any); ok {
			var inner map[string]toml.Primitive
			if r.md.PrimitiveDecode(p, &inner) == nil {
				r.walk(l.path, inner)
				continue
			}
		}
		l.line = r.line(p)
		r.leaves = append(r.leaves, l)
	}
}

// nowhere takes no value, so that the error tells where it stands.
type nowhere struct{}

func (*nowhere) UnmarshalTOML(any) error { return errNowhere }

var errNowhere = errors.New("where is it?")

// line returns the line of a value. The library tells places in errors alone.
func (r *reader) line(p toml.Primitive) int {
	var at toml.ParseError
	if errors.As(r.md.PrimitiveDecode(p, &nowhere{}), &at) {
		return at.Position.Line
	}
	return 0
}
