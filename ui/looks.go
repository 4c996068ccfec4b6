package ui

import (
	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
)

// looks are the inks and lines of what surrounds the panes.
type looks struct {
	theme                                                         string // its name
	paper                                                         string // see themes.Theme.Paper
	title, titleFocused, border, borderFocused, muted, text       ink.Ink
	bar, value, drops, frozen, plain, warning, failure            ink.Ink
	states                                                        [trace.Failed + 1]ink.Ink
	idle                                                          ink.Ink
	key, hint, off, heading                                       ink.Ink
	popBorder, popText, popSelected, popDetail, popMatch, popKind ink.Ink
	glyphs                                                        glyphs
	chart                                                         chart.Looks
}

// glyphs are what lines and signs are drawn with.
type glyphs struct {
	horizontal, vertical, heavy                string
	topLeft, topRight, bottomLeft, bottomRight string
	teeLeft, teeRight, teeDown, cross          string
	states                                     [trace.Failed + 1]string
	idle, drop, frozen                         string
}

func newLooks(t *themes.Theme) looks {
	f, s, h, p := t.Frame, t.Status, t.Hint, t.Popup
	k := looks{
		theme: t.Name, paper: t.Paper, chart: chart.NewLooks(t),
		title: ink.Of(f.Title), titleFocused: ink.Of(f.TitleFocused), border: ink.Of(f.Border),
		borderFocused: ink.Of(f.BorderFocused), muted: ink.Of(f.Muted), text: ink.Of(f.Text),
		bar: ink.Of(s.Bar), value: ink.Of(s.Value), drops: ink.Of(s.Drops), frozen: ink.Of(s.Frozen),
		plain: ink.Of(s.Notice), warning: ink.Of(s.Warning), failure: ink.Of(s.Error), idle: ink.Of(s.Idle),
		key: ink.Of(h.Key), hint: ink.Of(h.Text), off: ink.Of(h.Off), heading: ink.Of(h.Heading),
		popBorder: ink.Of(p.Border), popText: ink.Of(p.Text), popSelected: ink.Of(p.Selected),
		popDetail: ink.Of(p.Detail), popMatch: ink.Of(p.Match), popKind: ink.Of(p.Kind),
		glyphs: glyphs{
			horizontal: "─", vertical: "│", heavy: "━", topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯",
			teeLeft: "┤", teeRight: "├", teeDown: "┬", cross: "┼",
			states: [...]string{"◌", "●", "◍", "■", "✗"}, idle: "○", drop: "▲", frozen: "❚❚",
		},
	}
	k.states = [...]ink.Ink{ink.Of(s.Starting), ink.Of(s.Running), ink.Of(s.Stopping), ink.Of(s.Done), ink.Of(s.Failed)}
	if t.ASCII {
		k.glyphs = glyphs{
			horizontal: "-", vertical: "|", heavy: "=", topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+",
			teeLeft: "+", teeRight: "+", teeDown: "+", cross: "+",
			states: [...]string{"~", "*", "~", "#", "x"}, idle: "o", drop: "!", frozen: "||",
		}
	}
	return k
}
