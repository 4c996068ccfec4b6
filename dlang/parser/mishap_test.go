package parser_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A panic is a complaint at the word that was being read, and there is a tree even so.
func TestMishap(t *testing.T) {
	f := token.NewFile("input", "BEGIN { trace(1); }\nEND { trace((broken)-1); }\n")
	config := parser.Config{IsType: func(string, string) bool { panic("broken") }}
	tree, list := config.Parse(f)
	if tree == nil || len(list) != 1 || list[0].Code != diag.Internal || !strings.Contains(list[0].Msg, "the parser could not go on here: broken (") {
		t.Fatalf("got %v", list)
	}
	if _, line, _ := f.Place(list[0].At.From); line != 2 {
		t.Errorf("line %d, want 2", line)
	}
}
