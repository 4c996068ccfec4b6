// Package token names the words of the D language and the places they occupy.
//
// A script is one string of bytes. Every token, tree node, IR value and eBPF
// instruction carries a Span into it, so that whatever goes wrong later can be
// shown under the very characters that caused it. A File turns offsets into
// lines and columns; nothing else in the compiler counts lines.
package token

import (
	"sort"
	"strings"
)

// A Pos is one more than a byte offset into a script; zero means nowhere.
type Pos int32

// IsValid reports whether p is a place.
func (p Pos) IsValid() bool { return p > 0 }

// Offset returns the byte offset of p, which must be valid.
func (p Pos) Offset() int { return int(p) - 1 }

// A Span is the half-open range [From, To) of source that a token or node covers.
type Span struct{ From, To Pos }

// IsValid reports whether s covers a place.
func (s Span) IsValid() bool { return s.From.IsValid() }

// Join returns the smallest span that covers both s and t. A span that is
// nowhere adds nothing.
func (s Span) Join(t Span) Span {
	switch {
	case !s.IsValid():
		return t
	case !t.IsValid():
		return s
	}
	return Span{min(s.From, t.From), max(s.To, t.To)}
}

// Move returns s in a text in which everything lies by bytes farther back.
func (s Span) Move(by Pos) Span {
	if !s.IsValid() {
		return s
	}
	return Span{s.From + by, s.To + by}
}

// A File is the text of one script together with its name and line table.
// It is immutable once made, so it may be read from several goroutines.
//
// Most files are as somebody wrote them. One that the preprocessor made knows of
// each stretch where it was written (see Run), and lines may have other numbers
// than one counts (see Label).
type File struct {
	Name   string
	Src    string
	lines  []int   // offset of the first byte of each line
	runs   []Run   // of a made text
	labels []Label // of lines whose numbers are not those that one counts
	from   *Origin // the line that includes this file

	base    Pos     // what positions in it begin behind: it is an annex (see NewAnnex)
	annexes []*File // in order of their bases
}

// NewFile indexes the lines of src.
func NewFile(name, src string) *File {
	f := &File{Name: name, Src: src, lines: make([]int, 1, 1+strings.Count(src, "\n"))}
	for i := range len(src) {
		if src[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Position returns the line and the column of p, both counted from one; the
// column counts bytes. A position that is nowhere gives zeros. Of a made text it
// is the line and column in the file that Place names.
func (f *File) Position(p Pos) (line, col int) {
	if !p.IsValid() {
		return 0, 0
	}
	if f.runs != nil || f.labels != nil || f.annexes != nil {
		_, line, col = f.Place(p)
		return line, col
	}
	return f.physical(p)
}

// physical counts the lines and columns before p, which must be valid.
func (f *File) physical(p Pos) (line, col int) {
	off := f.offset(p)
	i := sort.SearchInts(f.lines, off+1) - 1
	return i + 1, off - f.lines[i] + 1
}

// Lines returns the number of lines, counting a last one without a newline.
func (f *File) Lines() int { return len(f.lines) }

// Line returns the text of line n of Src (counted from one) without its newline,
// and the position of its first byte. A line that does not exist is empty.
func (f *File) Line(n int) (text string, start Pos) {
	if n < 1 || n > len(f.lines) {
		return "", 0
	}
	from, to := f.lines[n-1], len(f.Src)
	if n < len(f.lines) {
		to = f.lines[n] - 1
	}
	if to > from && f.Src[to-1] == '\r' {
		to--
	}
	return f.Src[from:to], f.base + Pos(from+1)
}

// offset returns where p, which must be valid, lies in Src; at its end if p lies
// beyond.
func (f *File) offset(p Pos) int { return min(max((p-f.base).Offset(), 0), len(f.Src)) }

// Text returns the source that s covers.
func (f *File) Text(s Span) string {
	if !s.IsValid() {
		return ""
	}
	return f.Src[f.offset(s.From):f.offset(s.To)]
}
