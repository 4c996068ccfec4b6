package lsp

import (
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// The units in which characters of a line are counted.
const (
	utf8Units  = "utf-8"
	utf16Units = "utf-16" // what an editor has that says nothing
)

// A doc is one version of an open document. Nobody changes it.
type doc struct {
	Document
	uri     string
	version int
	units   string
	lines   []int // where they begin
}

func newDoc(uri string, version int, text, units string) *doc {
	d := &doc{uri: uri, version: version, units: units}
	d.Path, d.Text = pathOf(uri), text
	d.lines = []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// offset returns the byte offset of a position. One beyond the end of a line, or of the
// text, means that end.
func (d *doc) offset(p position) int {
	if p.Line < 0 || p.Line >= len(d.lines) {
		if p.Line < 0 {
			return 0
		}
		return len(d.Text)
	}
	line := d.line(p.Line)
	if d.units == utf8Units {
		return d.lines[p.Line] + min(max(p.Character, 0), len(line))
	}
	units := 0
	for i, r := range line {
		if units >= p.Character {
			return d.lines[p.Line] + i
		}
		units += width(r)
	}
	return d.lines[p.Line] + len(line)
}

// line returns a line without what ends it.
func (d *doc) line(n int) string {
	end := len(d.Text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1]
	}
	return strings.TrimRight(d.Text[d.lines[n]:end], "\r\n")
}

// position returns where a byte offset is.
func (d *doc) position(off int) position {
	off = min(max(off, 0), len(d.Text))
	n := sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > off }) - 1
	return position{n, length(d.Text[d.lines[n]:off], d.units)}
}

// span returns where the bytes from one offset to another are.
func (d *doc) span(from, to int) span { return span{d.position(from), d.position(to)} }

// length counts the units of a text.
func length(s, units string) int {
	if units == utf8Units {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += width(r)
	}
	return n
}

// width is how many units of UTF-16 a character has. A byte that is no character is
// replaced by one that has one.
func width(r rune) int {
	if r > 0xffff && r != utf8.RuneError {
		return 2
	}
	return 1
}

// pathOf returns the path of a file:// address, or "".
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// uriOf returns the address of a file.
func uriOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
