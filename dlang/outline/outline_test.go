package outline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/token"
)

func TestClauses(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   []int
	}{
		{"", nil},
		{"BEGIN { }\n\n/* a */ END\n{\n}\n", []int{0, 2}},
		{"int n;\n#pragma D option quiet\n\ntick-1s,\ntick-2s\n/n/ { n++; }\nBEGIN", []int{3, 6}},
		{"BEGIN {", []int{0}}, // half written
	} {
		if got := Clauses(tt.script); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.script, got, tt.want)
		}
	}
}

func TestHeads(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   []string
	}{
		{"", nil},
		{"BEGIN { }\n\n/* a */ END\n{\n}\n", []string{"BEGIN", "END"}},
		{"syscall::read:entry,\n\tsyscall::write:entry\n/pid == 1/ { n++; } tick-1s", []string{"syscall::read:entry, syscall::write:entry", "tick-1s"}},
	} {
		if got := Heads(tt.script); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.script, got, tt.want)
		}
	}
}

func TestSymbols(t *testing.T) {
	f := token.NewFile("x.d", `typedef int num; struct pair { int a; } p; self int s;
inline int limit = 3;
int twice(int a) { return 2 * a; }
syscall::read:entry,
syscall::write:entry { x = 1; }
BEGIN { half`)
	var got []string
	for _, s := range Symbols(f) {
		got = append(got, fmt.Sprintf("%d %s", s.Kind, s.Name))
		if s.Word.From < s.At.From || s.At.To < s.Word.To {
			t.Errorf("%s is named outside of itself", s.Name)
		}
	}
	want := "4 num|4 struct pair|2 p|2 self->s|3 limit|1 twice|0 syscall::read:entry, syscall::write:entry|0 BEGIN"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
}
