// Package text is the text that the editor edits: lines, changes that can be
// taken back, and where the characters of a line lie on the screen.
//
// A Buffer is bytes, and gives back what it was given: lines that end in CR LF
// keep it, bytes that are no UTF-8 stay as they are, a missing newline at the
// end stays missing. Places are byte offsets (for changes, tokens, complaints)
// or a Pos of line and byte in the line (for moving about). A line is without
// its end.
//
// Every change goes through Replace. Changes made inside one call of Change
// are one step for Undo; steps of the same Kind that touch each other, such as
// letters typed one after another, become one step. Undo followed by Redo is
// nothing, and undoing everything gives the first text back byte for byte;
// both are fuzzed.
//
// A Cell is a character as the reader sees it: a letter with its accents, an
// emoji of several code points, a tab as wide as its place demands, a control
// character spelled ^[. Movement and drawing use the same cells, so that the
// cursor stands where the eye sees it.
//
// The package knows neither D nor the screen.
package text

import (
	"slices"
	"sort"
	"strings"
)

// MaxSize is the largest text that an editor should take, in bytes. Above it
// a keystroke would no longer feel immediate.
const MaxSize = 10 << 20

// A Pos is a place: a line and a byte in it, both counted from zero.
type Pos struct{ Line, Col int }

// A Buffer is a text under change. It is not safe for concurrent use.
type Buffer struct {
	lines   []string // without their ends
	crlf    []bool   // whether the end of the line is CR LF; false for the last
	start   []int    // offset of the first byte of each line
	size    int
	version int
	whole   string // the text of version wholeOf, made when asked for
	wholeOf int
	shifts  []Shift
	history
}

// A Shift says that Del bytes at At gave way to Ins bytes.
type Shift struct{ At, Del, Ins int }

// New returns a buffer that holds text, at version 1.
func New(text string) *Buffer {
	b := &Buffer{lines: []string{""}, crlf: []bool{false}, start: []int{0}}
	b.splice(0, 0, text)
	b.version = 1
	b.shifts = nil
	return b
}

// Size returns the length of the text in bytes.
func (b *Buffer) Size() int { return b.size }

// Lines returns the number of lines; an empty text has one.
func (b *Buffer) Lines() int { return len(b.lines) }

// Line returns line n without its end.
func (b *Buffer) Line(n int) string { return b.lines[n] }

// Start returns the offset of the first byte of line n.
func (b *Buffer) Start(n int) int { return b.start[n] }

// End returns the offset of the end of line n, where its newline is.
func (b *Buffer) End(n int) int { return b.start[n] + len(b.lines[n]) }

// Newline returns what ends line n, or would if another followed.
func (b *Buffer) Newline(n int) string {
	if n == len(b.lines)-1 && n > 0 {
		n--
	}
	if b.crlf[n] {
		return "\r\n"
	}
	return "\n"
}

// Version counts the changes. A version number is never used for two texts.
func (b *Buffer) Version() int { return b.version }

// Text returns the whole text.
func (b *Buffer) Text() string {
	if b.wholeOf != b.version {
		b.whole, b.wholeOf = b.Slice(0, b.size), b.version
	}
	return b.whole
}

// Slice returns the text of [from, to).
func (b *Buffer) Slice(from, to int) string {
	from, to = b.clamp(from), b.clamp(to)
	if from >= to {
		return ""
	}
	first, last := b.lineOf(from), b.lineOf(to)
	if first == last && to <= b.End(first) {
		return b.lines[first][from-b.start[first] : to-b.start[first]]
	}
	var out strings.Builder
	out.Grow(to - from)
	for n := first; n <= last; n++ {
		raw := b.raw(n)
		lo, hi := max(from-b.start[n], 0), min(to-b.start[n], len(raw))
		out.WriteString(raw[lo:hi])
	}
	return out.String()
}

// Offset returns the byte offset of p, moved into the text if it lies outside.
func (b *Buffer) Offset(p Pos) int {
	n := min(max(p.Line, 0), len(b.lines)-1)
	return b.start[n] + min(max(p.Col, 0), len(b.lines[n]))
}

// Pos returns the place of offset off. The middle of a CR LF is the line's end.
func (b *Buffer) Pos(off int) Pos {
	n := b.lineOf(b.clamp(off))
	return Pos{n, min(b.clamp(off)-b.start[n], len(b.lines[n]))}
}

func (b *Buffer) clamp(off int) int { return min(max(off, 0), b.size) }

// lineOf returns the line that holds offset off; a newline belongs to its line.
func (b *Buffer) lineOf(off int) int {
	return sort.SearchInts(b.start, off+1) - 1
}

// raw returns line n with its end.
func (b *Buffer) raw(n int) string {
	switch {
	case n == len(b.lines)-1:
		return b.lines[n]
	case b.crlf[n]:
		return b.lines[n] + "\r\n"
	}
	return b.lines[n] + "\n"
}

// splice puts with in the place of [from, to) and keeps no record of it.
func (b *Buffer) splice(from, to int, with string) {
	first, last := b.lineOf(from), b.lineOf(to)
	head := b.raw(first)[:from-b.start[first]]
	tail := b.raw(last)[to-b.start[last]:]
	pieces := strings.Split(head+with+tail, "\n")
	if last < len(b.lines)-1 {
		pieces = pieces[:len(pieces)-1] // what follows the end of line last
	}
	ends := make([]bool, len(pieces))
	for i, p := range pieces {
		final := last == len(b.lines)-1 && i == len(pieces)-1
		if !final && strings.HasSuffix(p, "\r") {
			pieces[i], ends[i] = p[:len(p)-1], true
		}
	}
	if len(pieces) == last-first+1 {
		copy(b.lines[first:], pieces)
		copy(b.crlf[first:], ends)
	} else {
		b.lines = slices.Replace(b.lines, first, last+1, pieces...)
		b.crlf = slices.Replace(b.crlf, first, last+1, ends...)
		b.start = slices.Replace(b.start, first, last+1, make([]int, len(pieces))...)
		b.start[first] = from - len(head)
	}
	for n := first + 1; n < len(b.lines); n++ {
		at := b.start[n-1] + len(b.lines[n-1]) + 1
		if b.crlf[n-1] {
			at++
		}
		b.start[n] = at
	}
	b.size += len(with) - (to - from)
	b.version++
	b.shifts = append(b.shifts, Shift{from, to - from, len(with)})
}

// TakeShifts returns what has moved since it was last called, in order, so
// that whoever holds offsets can move them along.
func (b *Buffer) TakeShifts() []Shift {
	s := b.shifts
	b.shifts = nil
	return s
}

// Move returns where offset off is after s. What was deleted collapses to the
// place of the change.
func (s Shift) Move(off int) int {
	switch {
	case off < s.At:
		return off
	case off < s.At+s.Del:
		return s.At
	}
	return off + s.Ins - s.Del
}

// Hull returns the one replacement that covers all of shifts: bytes
// [from, oldTo) before them gave way to [from, newTo) after them.
func Hull(shifts []Shift) (from, oldTo, newTo int) {
	for i, s := range shifts {
		if i == 0 {
			from, oldTo, newTo = s.At, s.At+s.Del, s.At+s.Ins
			continue
		}
		from = min(from, s.At)
		end := max(newTo, s.At+s.Del)
		oldTo += end - newTo
		newTo = end + s.Ins - s.Del
	}
	return from, oldTo, newTo
}
