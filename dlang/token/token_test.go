package token_test

import (
	"testing"

	"dscope.dev/dlang/token"
)

func TestPosition(t *testing.T) {
	f := token.NewFile("x.d", "ab\n\tc\r\n\nd")
	for _, tt := range []struct {
		pos       token.Pos
		line, col int
	}{
		{0, 0, 0}, {1, 1, 1}, {3, 1, 3}, {4, 2, 1}, {5, 2, 2}, {8, 3, 1}, {9, 4, 1}, {10, 4, 2},
		{99, 4, 2}, // beyond the end is the end
	} {
		if line, col := f.Position(tt.pos); line != tt.line || col != tt.col {
			t.Errorf("Position(%d) = %d:%d, want %d:%d", tt.pos, line, col, tt.line, tt.col)
		}
	}
	for n, want := range map[int]string{0: "", 1: "ab", 2: "\tc", 3: "", 4: "d", 5: ""} {
		if got, _ := f.Line(n); got != want {
			t.Errorf("Line(%d) = %q, want %q", n, got, want)
		}
	}
	if f.Lines() != 4 {
		t.Errorf("%d lines, want 4", f.Lines())
	}
}

// TestMapped reads places through a text that was made of two files.
func TestMapped(t *testing.T) {
	main := token.NewFile("main.d", "#include \"h\"\nUSE(x) y\n")
	from := &token.Origin{File: main, At: token.Span{From: 10, To: 13}, Msg: "included here"}
	head := token.NewSource("h", "a\n#line 20\nb c\n#line 9 \"g\"\nd\n#line 3\ne", []token.Label{{Line: 3, As: 20}, {Line: 5, Name: "g", As: 9}, {Line: 7, As: 3}}, from)
	why := &token.Origin{File: head, At: token.Span{From: 1, To: 2}, Msg: "because"}
	f := token.NewMapped("main.d", "a b\nd e\none + two y\n", []token.Run{
		{At: 0, File: head}, {At: 2, File: head, Off: 11}, {At: 4, File: head, Off: 27}, {At: 6, File: head, Off: 37},
		{At: 8, File: main, Off: 13, Len: 6, Why: why}, {At: 11, File: main, Off: 17}, {At: 12, File: main, Off: 13, Len: 6}, {At: 18, File: main, Off: 20},
	})
	for _, tt := range []struct {
		from, to  token.Pos
		name      string
		line, col int
		text      string
		reasons   int
	}{
		{1, 2, "h", 1, 1, "a", 1},
		{3, 4, "h", 20, 1, "b", 1},
		{5, 6, "g", 9, 1, "d", 1},
		{7, 8, "g", 3, 1, "e", 1},
		{9, 12, "main.d", 2, 1, "USE(x)", 1},
		{9, 18, "main.d", 2, 1, "USE(x)", 1},
		{9, 20, "main.d", 2, 1, "USE(x) y", 1},
		{19, 20, "main.d", 2, 8, "y", 0},
		{1, 20, "h", 1, 1, "a", 1}, // the end lies in another file
		{7, 7, "g", 3, 1, "", 1},
		{99, 100, "main.d", 3, 1, "", 0},
	} {
		at := token.Span{From: tt.from, To: tt.to}
		name, line, col := f.Place(tt.from)
		if name != tt.name || line != tt.line || col != tt.col {
			t.Errorf("%v is at %s:%d:%d, want %s:%d:%d", at, name, line, col, tt.name, tt.line, tt.col)
		}
		if l, c := f.Position(tt.from); l != line || c != col {
			t.Errorf("Position(%d) = %d:%d", tt.from, l, c)
		}
		src, from := f.Origin(at)
		if got := src.Text(from); got != tt.text {
			t.Errorf("%v was %q, want %q", at, got, tt.text)
		}
		if got := f.Reasons(at); len(got) != tt.reasons {
			t.Errorf("%v has the reasons %v", at, got)
		}
		if f.Included(tt.from) != (src == head) {
			t.Errorf("%v: Included is %t", at, f.Included(tt.from))
		}
	}
	if text, off := f.LineAt(19); text != "USE(x) y" || off != 7 {
		t.Errorf("LineAt: %q, %d", text, off)
	}
	if text, off := f.LineAt(0); text != "" || off != 0 {
		t.Errorf("LineAt(nowhere): %q, %d", text, off)
	}
}

func TestJoin(t *testing.T) {
	a, b, none := token.Span{From: 3, To: 5}, token.Span{From: 1, To: 4}, token.Span{}
	for _, tt := range []struct{ x, y, want token.Span }{
		{a, b, token.Span{From: 1, To: 5}}, {b, a, token.Span{From: 1, To: 5}}, {a, none, a}, {none, a, a}, {none, none, none},
	} {
		if got := tt.x.Join(tt.y); got != tt.want {
			t.Errorf("%v joined to %v is %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for k := token.EOF; k.String() != "unknown token"; k++ {
		if k.IsKeyword() && token.Lookup(k.String()) != k {
			t.Errorf("Lookup(%q) is %v", k, token.Lookup(k.String()))
		}
		// A compound assignment is spelled as its operator and =.
		if op := k.Binary(); op != token.Bad && op.String()+"=" != k.String() {
			t.Errorf("%v applies %v", k, op)
		}
		if k.IsAssign() != (k == token.Assign || k.Binary() != token.Bad) {
			t.Errorf("%v: IsAssign is %t", k, k.IsAssign())
		}
	}
	if token.Lookup("execname") != token.Ident {
		t.Error("execname is a keyword")
	}
}
