package widget

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// A Pen is a style reduced to what the terminal needs before and after a run
// of text. Drawing with a pen costs two copies where a style's Render costs
// microseconds, so cells and words are drawn with pens and frames with styles.
// The zero Pen draws plainly.
type Pen struct{ on, off string }

// NewPen returns a pen that draws as s does. Only colours and attributes
// count; widths, margins and borders are for whole blocks.
func NewPen(s lipgloss.Style) Pen {
	const mark = "x"
	drawn := s.Inline(true).Render(mark)
	on, off, ok := strings.Cut(drawn, mark)
	if !ok {
		return Pen{}
	}
	return Pen{on, off}
}

// Draw returns text in the colours of p. The text must have no line ends.
func (p Pen) Draw(text string) string {
	if text == "" {
		return ""
	}
	return p.on + text + p.off
}

// Write appends text to b in the colours of p.
func (p Pen) Write(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(p.on)
	b.WriteString(text)
	b.WriteString(p.off)
}
