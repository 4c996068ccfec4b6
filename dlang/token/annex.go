package token

import "sort"

// An annex is a text that a script uses without including it: a declaration of a
// library. Its positions begin behind those of the script, so that each position says
// by itself which text it is in, and a node, value or instruction that came out of a
// library needs nothing more than its Span to be told of in the right file and line.

// NewAnnex returns the file of a text that begins on a line of the file called name,
// and whose positions lie behind base.
func NewAnnex(name, src string, line int, base Pos) *File {
	f := NewSource(name, src, []Label{{Line: 1, As: line}}, nil)
	f.base = base
	return f
}

// Base returns what the positions in f begin behind: 0, but for an annex.
func (f *File) Base() Pos { return f.base }

// End returns a base for an annex whose positions are to lie behind those of f.
func (f *File) End() Pos { return f.base + Pos(len(f.Src)) + 1 } // the end of a text is a place of it

// WithAnnexes returns f with annexes, which are in order of their bases, behind it: its
// places are those of the annexes too. f itself stays as it is.
func (f *File) WithAnnexes(annexes []*File) *File {
	if len(annexes) == 0 {
		return f
	}
	all := *f
	all.annexes = annexes
	return &all
}

// Outside reports whether p lies in an annex of f.
func (f *File) Outside(p Pos) bool { return f.annex(p) != nil }

// annex returns the annex that p lies in, or nil.
func (f *File) annex(p Pos) *File {
	i := sort.Search(len(f.annexes), func(i int) bool { return f.annexes[i].base >= p })
	if i == 0 {
		return nil
	}
	return f.annexes[i-1]
}
