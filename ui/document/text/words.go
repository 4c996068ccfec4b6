package text

import (
	"unicode"
	"unicode/utf8"
)

// class parts words from punctuation from blanks.
func class(r rune) int {
	switch {
	case r == '_' || r == '`' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return 2
	case unicode.IsSpace(r):
		return 0
	}
	return 1
}

// IsWord reports whether r is part of a name.
func IsWord(r rune) bool { return class(r) == 2 }

// NextWord returns the offset where the word after off begins.
func (b *Buffer) NextWord(off int) int {
	p := b.Pos(off)
	line := b.lines[p.Line]
	if p.Col == len(line) {
		if p.Line == len(b.lines)-1 {
			return off
		}
		return b.start[p.Line+1]
	}
	i := p.Col
	r, _ := utf8.DecodeRuneInString(line[i:])
	for k := class(r); i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if class(r) != k {
			if class(r) != 0 {
				break
			}
			k = 0
		}
		i += n
	}
	return b.start[p.Line] + i
}

// PrevWord returns the offset where the word before off begins.
func (b *Buffer) PrevWord(off int) int {
	p := b.Pos(off)
	line := b.lines[p.Line]
	if p.Col == 0 {
		if p.Line == 0 {
			return 0
		}
		return b.End(p.Line - 1)
	}
	i, k := p.Col, 0
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(line[:i])
		if class(r) != k {
			if k != 0 {
				break
			}
			k = class(r)
		}
		i -= n
	}
	return b.start[p.Line] + i
}

// WordAt returns the word that touches off, or an empty range.
func (b *Buffer) WordAt(off int) (from, to int) {
	p := b.Pos(off)
	line := b.lines[p.Line]
	i, j := p.Col, p.Col
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(line[:i])
		if !IsWord(r) {
			break
		}
		i -= n
	}
	for j < len(line) {
		r, n := utf8.DecodeRuneInString(line[j:])
		if !IsWord(r) {
			break
		}
		j += n
	}
	return b.start[p.Line] + i, b.start[p.Line] + j
}
