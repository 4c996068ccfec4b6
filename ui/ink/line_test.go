package ink

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestLineIsAsWideAsAsked(t *testing.T) {
	for _, s := range []string{
		"", "abc", "abcdefghijklmnop", "日本語テキスト", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
		"\x1b[31mred\x1b[0m", "tab\there", "bad\xff\xfe", "\u202eevil", "👩‍👩‍👧 family", "x\u200by", "a\r\nb",
	} {
		for w := 0; w < 12; w++ {
			var l Line
			l.Reset(w, Ink{})
			l.Put(Ink{"1"}, s)
			if got := ansi.StringWidth(l.String()); got != w {
				t.Errorf("Put(%q) on %d cells is %d wide: %q", s, w, got, l.String())
			}
			for name, put := range map[string]func(*Line){
				"Fit":    func(l *Line) { l.Fit(Ink{}, s, w) },
				"FitEnd": func(l *Line) { l.FitEnd(Ink{}, s, w) },
				"Right":  func(l *Line) { l.Right(Ink{}, s, w) },
			} {
				l.Reset(40, Ink{})
				put(&l)
				if l.X() != w {
					t.Errorf("%s(%q, %d) took %d cells", name, s, w, l.X())
				}
			}
		}
	}
}

func TestLineLetsNoControlThrough(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		var l Line
		l.Reset(10, Ink{})
		l.Put(Ink{}, "a"+string(r)+"b")
		out := l.String()
		for _, c := range out {
			if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || isBidi(c) {
				t.Fatalf("%U came through in %q", r, out)
			}
		}
	}
}

func TestLineMergesRuns(t *testing.T) {
	red, base := Ink{"31"}, Ink{"44"}
	var l Line
	l.Reset(6, base)
	l.Put(red, "ab")
	l.Put(red, "c")
	l.Put(Ink{}, "d")
	if got, want := l.String(), "\x1b[44;31mabc\x1b[0;44md  \x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	l.Reset(3, Ink{})
	l.Put(Ink{}, "abc")
	if got := l.String(); got != "abc" {
		t.Errorf("a plain line is %q", got)
	}
}

func TestFit(t *testing.T) {
	var l Line
	for _, tt := range []struct {
		put  func()
		want string
	}{
		{func() { l.Fit(Ink{}, "abcdef", 4) }, "abc…"},
		{func() { l.Fit(Ink{}, "ab", 4) }, "ab  "},
		{func() { l.FitEnd(Ink{}, "abcdef", 4) }, "…def"},
		{func() { l.Right(Ink{}, "ab", 4) }, "  ab"},
		{func() { l.Fit(Ink{}, "日本語", 4) }, "日 …"},
		{func() { l.Put(Ink{}, "a\x07b\tc") }, "a?b c"},
		{func() { l.Put(Ink{}, Drop("日本語", 2)) }, "本語"},
	} {
		l.Reset(20, Ink{})
		tt.put()
		if got := strings.TrimRight(l.String(), " "); got != strings.TrimRight(tt.want, " ") {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\u0301日\x1b]0;x\x07", 3)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = min(max(w, 0), 100)
		var l Line
		l.Reset(w, Ink{})
		l.Fit(Ink{"7"}, s, w/2)
		l.Put(Ink{}, "│")
		l.FitEnd(Ink{"1"}, s, w/3)
		l.Put(Ink{}, s)
		out := l.String()
		if got := ansi.StringWidth(out); got != w || !utf8.ValidString(out) {
			t.Errorf("%q in %d cells: width %d, %q", s, w, got, out)
		}
	})
}

func BenchmarkScreen(b *testing.B) {
	inks := [...]Ink{Ink{"38;5;1"}, Ink{"38;5;2"}, Ink{"38;5;3"}}
	var l Line
	for b.Loop() {
		for range 40 {
			l.Reset(120, Ink{})
			for x := range 120 {
				l.Rep(inks[x/3%3], "█", 1)
			}
			_ = l.String()
		}
	}
}
