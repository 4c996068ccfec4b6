package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// asciiOnly replaces what a terminal without UTF-8 cannot draw, cell by cell:
// an ellipsis by ~, anything else by ?. Panes choose glyphs that such a
// terminal has; this catches the rest, which is mostly traced data and the
// script's own text. The sequences that colour a picture are ASCII.
func asciiOnly(picture string) string {
	first := strings.IndexFunc(picture, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return picture
	}
	var b strings.Builder
	b.Grow(len(picture))
	b.WriteString(picture[:first])
	for s := picture[first:]; s != ""; {
		if s[0] < utf8.RuneSelf {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		cell, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cell):]
		if cell == "…" {
			b.WriteByte('~')
		} else {
			b.WriteString(strings.Repeat("?", width))
		}
	}
	return b.String()
}
