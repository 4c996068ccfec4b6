package chart

import (
	"dscope.dev/ui/ink"
)

// A Column is one column of a table.
type Column struct {
	Title string
	Min   int  // cells below which it is useless
	Want  int  // cells that show all of it
	Right bool // numbers lie against the right edge
	Flex  bool // takes what is left over
	Drop  int  // when room is short, the column of the highest Drop goes first; 0 stays
}

// gap is the room between columns, in cells.
const gap = 2

// Layout shares out w cells among columns and returns the width of each; 0 is
// a column for which there is no room.
func Layout(cols []Column, w int) []int {
	out := make([]int, len(cols))
	for i, c := range cols {
		out[i] = max(c.Min, 1)
	}
	for need(out) > w {
		worst := -1
		for i, c := range cols {
			if out[i] > 0 && c.Drop > 0 && (worst < 0 || c.Drop >= cols[worst].Drop) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		out[worst] = 0
	}
	left := w - need(out)
	for i, c := range cols {
		if out[i] > 0 && left > 0 {
			more := min(max(c.Want-out[i], 0), left)
			out[i] += more
			left -= more
		}
	}
	for i, c := range cols {
		if c.Flex && out[i] > 0 && left > 0 {
			out[i] += left
			left = 0
		}
	}
	return out
}

// need returns the cells that columns of these widths take with their gaps.
func need(widths []int) int {
	n := -gap
	for _, w := range widths {
		if w > 0 {
			n += w + gap
		}
	}
	return max(n, 0)
}

// HeaderCell draws the title of a column into w cells. That of the column that
// orders the rows has an arrow: down if the greatest is first.
func (k Looks) HeaderCell(l *ink.Line, c Column, w int, sorted, descending bool) {
	title, look := c.Title, k.Header
	if sorted {
		look = k.Sorted
		title += k.arrow(descending)
	}
	if c.Right {
		l.Right(look, title, w)
	} else {
		l.Fit(look, title, w)
	}
}

func (k Looks) arrow(descending bool) string {
	if descending {
		return k.Glyph("▼", " v")
	}
	return k.Glyph("▲", " ^")
}

// ColumnAt returns which column lies under cell x of a line that Cells
// drew, or -1. The gap after a column belongs to it.
func ColumnAt(widths []int, x int) int {
	at := 0
	for i, w := range widths {
		if w == 0 {
			continue
		}
		if x < at+w+gap {
			if x < 0 {
				return -1
			}
			return i
		}
		at += w + gap
	}
	return -1
}

// Cells draws one row, calling cell for each column that has room.
func Cells(l *ink.Line, widths []int, cell func(column, width int)) {
	first := true
	for i, w := range widths {
		if w == 0 {
			continue
		}
		if !first {
			l.Skip(gap)
		}
		first = false
		start := l.X()
		cell(i, w)
		l.To(start + w)
	}
}
