package cpp_test

import (
	"testing"

	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/token"
)

// TestNewFile holds how the lines of a script are called that is not preprocessed.
func TestNewFile(t *testing.T) {
	for _, tt := range []struct {
		src  string
		name string // of the last line
		line int
	}{
		{"a\nb", "x.d", 2},
		{"#!/bin/x\n#pragma D option quiet\nb", "x.d", 3},
		{"# 12 \"y.in\" 2\nb", "y.in", 12},
		{"#line 7\n\nb", "x.d", 8},
		{"#line 7 \"y\"\n#line 9\nb", "y", 9},
		{"#pragma D line 7 \"y\"\nb", "y", 7},
		{"#pragma line 7\nb", "x.d", 7},
		{"/*\n#line 7\n*/ b", "x.d", 3}, // a comment
		{"x # 12 \"y\"\nb", "x.d", 2},   // not at the beginning of its line
		{"\"/*\"\n  #  line 7\nb", "x.d", 7},
		{"#line\n#line x\n#line 1 2\n# 99999999999\nb", "x.d", 5}, // no numbers of lines
		{"/* #line 7\nb", "x.d", 2},
	} {
		f := cpp.NewFile("x.d", tt.src)
		if name, line, _ := f.Place(token.Pos(len(tt.src))); name != tt.name || line != tt.line {
			t.Errorf("%q ends at %s:%d, want %s:%d", tt.src, name, line, tt.name, tt.line)
		}
	}
}
