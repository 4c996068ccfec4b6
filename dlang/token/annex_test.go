package token

import "testing"

func TestAnnexes(t *testing.T) {
	script := NewFile("script", "one\ntwo")
	a := NewAnnex("a.d", "x\nyy", 10, script.End())
	b := NewAnnex("b.d", "z", 3, a.End())
	f := script.WithAnnexes([]*File{a, b})
	if script.WithAnnexes(nil) != script || script.Outside(a.Base()+1) {
		t.Error("the script has changed")
	}
	for _, tt := range []struct {
		at        Pos
		name      string
		line, col int
		text      string
		outside   bool
	}{
		{1, "script", 1, 1, "one", false},
		{5, "script", 2, 1, "two", false},
		{8, "script", 2, 4, "two", false}, // its end
		{a.Base() + 1, "a.d", 10, 1, "x", true},
		{a.Base() + 4, "a.d", 11, 2, "yy", true},
		{a.Base() + 5, "a.d", 11, 3, "yy", true},
		{b.Base() + 1, "b.d", 3, 1, "z", true},
		{b.Base() + 2, "b.d", 3, 2, "z", true},
		{b.Base() + 99, "b.d", 3, 2, "z", true}, // beyond the end of all
	} {
		name, line, col := f.Place(tt.at)
		text, _ := f.LineAt(tt.at)
		if name != tt.name || line != tt.line || col != tt.col || text != tt.text || f.Outside(tt.at) != tt.outside || f.Included(tt.at) != tt.outside {
			t.Errorf("%d: %s:%d:%d %q, outside %v", tt.at, name, line, col, text, f.Outside(tt.at))
		}
		if l, c := f.Position(tt.at); l != tt.line || c != tt.col {
			t.Errorf("%d: position %d:%d", tt.at, l, c)
		}
	}
	if got := a.Text(Span{a.Base() + 3, a.Base() + 5}); got != "yy" {
		t.Errorf("text %q", got)
	}
	if _, at := a.Line(2); at != a.Base()+3 {
		t.Errorf("line 2 begins at %d", at)
	}
}
