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
