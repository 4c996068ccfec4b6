package lsp

import (
	"strings"
	"testing"
)

func TestPosition(t *testing.T) {
	const text = "BEGIN\r\n{\n\ttrace(\"é𝄞x\");\n}"
	for _, tt := range []struct {
		units string
		at    position
		off   int
	}{
		{utf16Units, position{0, 0}, 0},
		{utf16Units, position{0, 5}, 5},
		{utf16Units, position{0, 99}, 5}, // before what ends the line
		{utf16Units, position{1, 0}, 7},
		{utf16Units, position{2, 8}, strings.Index(text, "é")},
		{utf16Units, position{2, 9}, strings.Index(text, "𝄞")},
		{utf16Units, position{2, 11}, strings.Index(text, "x\"")},
		{utf8Units, position{2, 10}, strings.Index(text, "𝄞")},
		{utf8Units, position{2, 14}, strings.Index(text, "x\"")},
		{utf16Units, position{3, 1}, len(text)},
		{utf16Units, position{9, 9}, len(text)},
		{utf16Units, position{-1, 0}, 0},
	} {
		d := newDoc("file:///x.d", 1, text, tt.units)
		if got := d.offset(tt.at); got != tt.off {
			t.Errorf("%s: %v is at %d, want %d", tt.units, tt.at, got, tt.off)
		}
		if back := d.position(tt.off); tt.at.Line >= 0 && tt.at.Line < 9 && tt.at.Character < 99 && back != tt.at {
			t.Errorf("%s: %d is %v, want %v", tt.units, tt.off, back, tt.at)
		}
	}
}

// FuzzPosition holds that an offset comes back, unless it is inside of a character or of
// what ends a line.
func FuzzPosition(f *testing.F) {
	f.Add("a\r\né𝄞\n\xff", 3, true)
	f.Fuzz(func(t *testing.T, text string, off int, wide bool) {
		units := utf8Units
		if wide {
			units = utf16Units
		}
		d := newDoc("", 0, text, units)
		p := d.position(off)
		back := d.offset(p)
		if back < 0 || back > len(text) || d.position(back).Line != p.Line {
			t.Fatalf("%d is %v, which is %d", off, p, back)
		}
		for i := range text {
			if strings.TrimRight(text[:i], "\r") != text[:i] {
				continue
			}
			if got := d.offset(d.position(i)); got != i && text[i] != '\n' && text[i] != '\r' {
				t.Fatalf("%d is %v, which is %d", i, d.position(i), got)
			}
		}
	})
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct{ uri, path string }{
		{"file:///a/b%20c.d", "/a/b c.d"},
		{"untitled:Untitled-1", ""},
		{"file:///%zz", ""},
	} {
		if got := pathOf(tt.uri); got != tt.path {
			t.Errorf("%s is %q, want %q", tt.uri, got, tt.path)
		}
	}
	if got := uriOf("/a/b c#é.d"); pathOf(got) != "/a/b c#é.d" {
		t.Errorf("there and back: %s", got)
	}
}

func TestDifference(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"", ""}, {"a\n", "a\n"}, {"a\nb\nc\n", "a\nx\nc\n"}, {"a\nb\n", "a\n"}, {"a\n", "a\nb\n"}, {"a", "a\n"},
		{"a\na\na\n", "a\na\n"}, {"", "x\n"}, {"x  y\n", "x y\n"},
	} {
		from, to, text := difference(tt.a, tt.b)
		if got := tt.a[:from] + text + tt.a[to:]; got != tt.b {
			t.Errorf("%q to %q: [%d, %d) gives way to %q: %q", tt.a, tt.b, from, to, text, got)
		}
	}
}
