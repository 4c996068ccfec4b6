// Package ink writes lines of coloured terminal cells, straight and fast.
//
// Panes that redraw thousands of cells ten times a second cannot afford a
// style object for each of them. Here a look is resolved once, into the
// parameters of the escape sequence that switches it on (an Ink); a Line is
// then filled from left to right, and writes a sequence only where the look
// changes from one cell to the next. 4,800 cells cost about a third of a
// millisecond so; through a style's Render, cell by cell, six.
//
// A Line has these promises, on which the layout of the whole screen rests:
//
//   - it is exactly as many cells wide as it was asked to be, whatever is put
//     into it: what does not fit is cut, what is missing is blank;
//   - no control code comes out of it but its own colours. Text from traced
//     processes may hold any byte; those that a terminal would act on are
//     shown as a placeholder, and so are the marks that reverse the direction
//     of text, with which one name can be made to look like another.
//
// The package knows no colour. Names for looks, and what they look like, come
// from the theme.
package ink

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// An Ink is a look made ready for writing: the parameters of the sequence
// that switches it on. The zero Ink is the terminal's own. Inks compare with ==.
type Ink struct{ sgr string }

// Of resolves a style for the terminal that lipgloss draws to. Only what
// colours text is taken: a style's padding, border and size are for frames.
func Of(s lipgloss.Style) Ink {
	s = s.UnsetPadding().UnsetMargins().UnsetBorderStyle().UnsetWidth().UnsetHeight().Inline(true)
	out := s.Render("x")
	_, rest, ok := strings.Cut(out, "\x1b[")
	if !ok {
		return Ink{}
	}
	params, _, ok := strings.Cut(rest, "m")
	if !ok {
		return Ink{}
	}
	return Ink{params}
}

// Over returns the look of i drawn on the look of base: where both say
// something of the same kind, i wins.
func (i Ink) Over(base Ink) Ink {
	switch {
	case base.sgr == "" || base == i:
		return i
	case i.sgr == "":
		return base
	}
	return Ink{base.sgr + ";" + i.sgr}
}

// Plain reports whether i changes nothing, as all inks do without colours.
func (i Ink) Plain() bool { return i.sgr == "" }

// Wrap returns s in the look of i. It is for short fixed texts: s is not
// cut, and must hold no control codes.
func (i Ink) Wrap(s string) string {
	if i.sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + i.sgr + "m" + s + "\x1b[0m"
}
