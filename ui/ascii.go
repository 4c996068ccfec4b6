package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// drawsGlyphs reports whether the terminal draws more than ASCII as far as the
// environment says; an environment that says nothing, as under sudo, is given
// the benefit. The Linux console understands UTF-8, but its fonts have 256
// characters or 512, and most of those that we draw with are not among them.
func drawsGlyphs(env func(string) string) bool {
	if env("TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// asciiOnly replaces what a terminal without glyphs cannot draw, cell by cell:
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
