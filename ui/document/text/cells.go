package text

import (
	"iter"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A Cell is one character of a line as the reader sees it.
type Cell struct {
	From, To int    // its bytes in the line
	Col      int    // the column of the screen where it begins, counted from 0
	Width    int    // in columns; never 0
	Glyph    string // what is drawn; blanks for a tab
	Odd      bool   // Glyph spells what cannot be drawn
}

// Cells yields the characters of a line; tab is the distance of tab stops.
func Cells(line string, tab int) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		col := 0
		for at := 0; at < len(line); {
			c := cellAt(line, at, col, tab)
			if !yield(c) {
				return
			}
			at, col = c.To, col+c.Width
		}
	}
}

// cellAt returns the character that begins at byte at and column col.
func cellAt(line string, at, col, tab int) Cell {
	s := line[at:]
	c := Cell{From: at, To: at + 1, Col: col, Width: 1}
	if b := s[0]; b < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		switch {
		case b == '\t':
			c.Width = tab - col%tab
			c.Glyph = ink.Blank(c.Width)
		case b < ' ' || b == 0x7f:
			c.Glyph, c.Width, c.Odd = widget.Glyph(rune(b), s[:1]), 2, true
		default:
			c.Glyph = s[:1]
		}
		return c
	}
	return wideCell(c, s, tab)
}

// wideCell completes c for a character that may be of several bytes.
func wideCell(c Cell, s string, tab int) Cell {
	r, size := utf8.DecodeRuneInString(s)
	if r == '\t' {
		c.Width = tab - c.Col%tab
		c.Glyph = ink.Blank(c.Width)
		return c
	}
	cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if len(cluster) < size || widget.Safe(cluster) != cluster {
		cluster, width = s[:size], ansi.StringWidth(s[:size])
	}
	c.To = c.From + len(cluster)
	if agreed := ink.Agreed(cluster); agreed != cluster {
		cluster, width = agreed, ansi.StringWidth(agreed)
	}
	c.Width, c.Glyph = width, widget.Glyph(r, cluster)
	if c.Glyph == cluster && width == 0 {
		c.Glyph = widget.Spell(r) // a mark without a letter to stand on
	}
	if c.Glyph != cluster {
		c.Width, c.Odd = ansi.StringWidth(c.Glyph), true
	}
	return c
}

// Column returns the column of the screen at which byte at of the line is
// drawn, or the one after the last character if at is the end.
func Column(line string, at, tab int) int {
	col := 0
	for c := range Cells(line, tab) {
		if c.To > at {
			return c.Col
		}
		col = c.Col + c.Width
	}
	return col
}

// Width returns the number of columns of the line.
func Width(line string, tab int) int { return Column(line, len(line), tab) }

// AtColumn returns the byte at which the character begins that covers column
// col, or the end of the line.
func AtColumn(line string, col, tab int) int {
	for c := range Cells(line, tab) {
		if col < c.Col+c.Width {
			return c.From
		}
	}
	return len(line)
}

// Next returns where the character that begins at byte at ends.
func Next(line string, at int) int {
	if at >= len(line) {
		return len(line)
	}
	return cellAt(line, at, 0, 8).To
}

// Prev returns where the character that ends at byte at begins.
func Prev(line string, at int) int {
	switch {
	case at <= 0:
		return 0
	case at == 1, line[at-1] < utf8.RuneSelf && line[at-2] < utf8.RuneSelf:
		return at - 1
	}
	from := 0
	for c := range Cells(line, 8) {
		if c.To >= at {
			return c.From
		}
		from = c.To
	}
	return from
}
