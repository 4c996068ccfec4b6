package token

import (
	"slices"
	"sort"
)

// A Run says where a stretch of a made text was written. It ends where the next
// run begins. A text is made by the preprocessor, out of the script, of the
// files that it includes and of the bodies of macros.
type Run struct {
	At   int     // offset of its first byte in the made text
	File *File   // where it was written
	Off  int     // offset of its first byte there
	Len  int     // 0 if it is there byte by byte; else all of it stands for these bytes: the use of a macro
	Why  *Origin // explains it: the place in the definition of the macro; nil if there is nothing to explain
}

// An Origin is a place in a file that explains another place.
type Origin struct {
	File *File
	At   Span
	Msg  string
}

// A Label says that the lines of a file from Line on, counted from one, are to be
// called Name:As, Name:As+1 and so on, as #line demands. An empty name leaves
// the name as it is.
type Label struct {
	Line   int
	Name   string
	As     int
	System bool // whether another preprocessor says that they are those of a system's header
}

// NewSource returns a file whose lines have labels, and that was included at from,
// unless that is nil. The labels are in order of their lines.
func NewSource(name, src string, labels []Label, from *Origin) *File {
	f := NewFile(name, src)
	f.labels, f.from = labels, from
	return f
}

// NewMapped returns the file of a made text. The runs are in order; the first
// begins at 0. Positions in it are those of the files that it was made of.
func NewMapped(name, src string, runs []Run) *File {
	f := NewFile(name, src)
	f.runs = runs
	return f
}

// Runs returns the stretches that f was made of, nil if it is as it was written.
func (f *File) Runs() []Run { return f.runs }

// Origin returns the place where the text under s was written. Of a file that was
// not made, that is s itself. A stretch that comes from several files is cut at
// the end of the first.
func (f *File) Origin(s Span) (*File, Span) {
	if a := f.annex(s.From); a != nil {
		return a, s
	}
	if len(f.runs) == 0 || !s.IsValid() {
		return f, s
	}
	src, at := f.origin(s.From)
	if s.To <= s.From {
		return src, Span{at.From, at.From}
	}
	if last, end := f.origin(s.To - 1); last == src && end.To > at.From {
		at.To = end.To
	}
	return src, at
}

// origin maps one byte.
func (f *File) origin(p Pos) (*File, Span) {
	off := min(p.Offset(), len(f.Src))
	r := f.run(off)
	if r.Len > 0 {
		return r.File, Span{Pos(r.Off + 1), Pos(r.Off + r.Len + 1)}
	}
	at := Pos(min(r.Off+off-r.At, len(r.File.Src)) + 1)
	return r.File, Span{at, at + 1}
}

// run returns the stretch that holds an offset of a made text.
func (f *File) run(off int) *Run {
	i := sort.Search(len(f.runs), func(i int) bool { return f.runs[i].At > off })
	return &f.runs[max(i-1, 0)]
}

// Made returns the offset in f at which the text stands that was written at an offset of
// the script itself. Ok is false if nothing in f was: it is a line of the preprocessor, or
// the use of a macro.
func (f *File) Made(off int) (made int, ok bool) {
	if len(f.runs) == 0 {
		return off, true
	}
	for i, r := range f.runs {
		end := len(f.Src)
		if i+1 < len(f.runs) {
			end = f.runs[i+1].At
		}
		if r.Len == 0 && r.File.from == nil && r.Off <= off && off <= r.Off+end-r.At {
			return r.At + off - r.Off, true
		}
	}
	return 0, false
}

// Reasons returns the places that explain how s came to be where it is: the
// definition of the macro that it is a use of, then the lines that include its
// file, innermost first.
func (f *File) Reasons(s Span) []Origin {
	if !s.IsValid() || len(f.runs) == 0 && f.from == nil || f.annex(s.From) != nil {
		return nil
	}
	var list []Origin
	src := f
	if len(f.runs) > 0 {
		r := f.run(min(s.From.Offset(), len(f.Src)))
		if src = r.File; r.Why != nil {
			list = append(list, *r.Why)
		}
	}
	for ; src.from != nil; src = src.from.File {
		list = append(list, *src.from)
	}
	return list
}

// Included reports whether p lies in another file than f, one that f was made of
// by inclusion, or an annex.
func (f *File) Included(p Pos) bool {
	src, _ := f.Origin(Span{p, p})
	return src.from != nil || src.base > 0
}

// HasHeaders reports whether parts of f may lie in headers.
func (f *File) HasHeaders() bool {
	return len(f.runs) > 0 || slices.ContainsFunc(f.labels, func(l Label) bool { return l.System })
}

// InHeader reports whether p lies in a file that f includes, or in lines that
// another preprocessor has taken from a header of the system.
func (f *File) InHeader(p Pos) bool {
	if f.annex(p) != nil {
		return false
	}
	src, at := f.Origin(Span{p, p})
	if src.from != nil {
		return true
	}
	line, _ := src.physical(at.From)
	i := sort.Search(len(src.labels), func(i int) bool { return src.labels[i].Line > line })
	return i > 0 && src.labels[i-1].System
}

// Place returns how people are told of p: the name of the file that it was written
// in, the line and the column, both counted from one.
func (f *File) Place(p Pos) (name string, line, col int) {
	if !p.IsValid() {
		return f.Name, 0, 0
	}
	src, at := f.Origin(Span{p, p})
	line, col = src.physical(at.From)
	name, line = src.label(line)
	return name, line, col
}

// label returns how a line of f is called.
func (f *File) label(line int) (string, int) {
	i := sort.Search(len(f.labels), func(i int) bool { return f.labels[i].Line > line })
	if i == 0 {
		return f.Name, line
	}
	l := f.labels[i-1]
	for i--; i > 0 && f.labels[i].Name == ""; i-- {
	}
	name := f.labels[i].Name
	if name == "" {
		name = f.Name
	}
	return name, l.As + line - l.Line
}

// LineAt returns the line in which p was written, as it was written, without its
// newline, and the offset of p in it.
func (f *File) LineAt(p Pos) (text string, off int) {
	if !p.IsValid() {
		return "", 0
	}
	src, at := f.Origin(Span{p, p})
	line, col := src.physical(at.From)
	text, _ = src.Line(line)
	return text, col - 1
}
