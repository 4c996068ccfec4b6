package outline

import (
	"slices"
	"testing"
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
