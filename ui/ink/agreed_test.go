package ink

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestAgreed(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{"a", "a"}, {"é", "é"}, {"e\u0301", "e\u0301"}, {"日", "日"}, {"👍", "👍"},
		{"👨\u200d👩\u200d👧", "👨"}, {"👍\U0001f3fd", "👍"}, {"❤\ufe0f", "❤"}, {"❤\ufe0f\u200d🔥", "❤"},
		{"क\u094d\u200dष", "क\u094d\u200dष"}, // a joiner of letters
		{"a\u0301\u200d", "a\u0301"}, {"\u200d", "\u200d"},
		{"\ufe0f", ""}, {"\U0001f3fd", "\U0001f3fd"},
	} {
		if got := Agreed(tt.s); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.s, got, tt.want)
		}
	}
}

// TestOneWidth writes characters that terminals draw differently wide: no rune is left of
// which one takes more room than another.
func TestOneWidth(t *testing.T) {
	for _, s := range []string{"👨\u200d👩\u200d👧\u200d👦 family", "👍\U0001f3fd skin", "1\ufe0f\u20e3 key", "❤\ufe0f heart", "\ufe0fx"} {
		var l Line
		l.Reset(20, Ink{})
		n := l.Put(Ink{}, s)
		out := l.String()
		runes := 0 // as a terminal counts that knows no clusters
		for _, r := range out {
			runes += ansi.StringWidth(string(r))
		}
		if runes != 20 || ansi.StringWidth(out) != 20 || n != Width(s) || strings.ContainsAny(out, "\u200d\ufe0f") {
			t.Errorf("%q is %q: %d cells, or %d, %d written of %d", s, out, ansi.StringWidth(out), runes, n, Width(s))
		}
	}
}
