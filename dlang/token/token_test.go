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
