package editor

import (
	"dscope.dev/themes"
	"dscope.dev/ui/document"
	"dscope.dev/ui/document/syntax"
	"dscope.dev/ui/ink"
)

// looks are the theme's styles made ready for drawing cells.
type looks struct {
	syntax [syntax.Classes]ink.Ink

	gutter, gutterCurrent, line                ink.Ink
	cursor, blurred, selection                 ink.Ink
	match, bracket, control                    ink.Ink
	err, warning, markError, markWarning       ink.Ink
	message, hint, label, input, notice, muted ink.Ink
	item, itemSelected, itemDetail, itemKind   ink.Ink
	glyphError, glyphWarning                   string
}

func newLooks(t *themes.Theme) *looks {
	e, p := t.Editor, t.Popup
	l := &looks{
		gutter: ink.Of(e.Gutter), gutterCurrent: ink.Of(e.GutterCurrent), line: ink.Of(e.CursorLine),
		cursor: ink.Of(e.Cursor), blurred: ink.Of(e.CursorBlurred), selection: ink.Of(e.Selection),
		match: ink.Of(e.Match), bracket: ink.Of(e.Bracket), control: ink.Of(e.Control),
		err: ink.Of(e.Error), warning: ink.Of(e.Warning), markError: ink.Of(e.MarkError), markWarning: ink.Of(e.MarkWarning),
		message: ink.Of(e.Message), hint: ink.Of(e.MessageHint), label: ink.Of(e.InputLabel), input: ink.Of(e.Input), notice: ink.Of(e.Notice),
		muted: ink.Of(t.Frame.Muted),
		item:  ink.Of(p.Text), itemSelected: ink.Of(p.Selected), itemDetail: ink.Of(p.Detail), itemKind: ink.Of(p.Kind),
		glyphError: t.Glyph("●", "E"), glyphWarning: t.Glyph("▲", "W"),
	}
	for c := range syntax.Classes {
		l.syntax[c] = ink.Of(t.Syntax(c.Chroma()))
	}
	return l
}

// mark returns sign and look of a complaint in the gutter.
func (l *looks) mark(k document.Mark) (string, ink.Ink) {
	if k.IsError() {
		return l.glyphError, l.markError
	}
	return l.glyphWarning, l.markWarning
}
