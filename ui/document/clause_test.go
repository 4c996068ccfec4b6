package document

import (
	"slices"
	"strings"
	"testing"
)

func TestProbesHere(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"|", ""},
		{"BEGIN { x = 1; }|", "BEGIN"},
		{"BEGIN { x = 1; }\n\n|syscall:::entry /pid == 1/ { }", "syscall:::entry"},
		{"pid$target:a.out:main:entry, tick-1s /arg0 > |2/ { trace(BEGIN); }", "pid$target:a.out:main:entry tick-1s"},
		{"pid$target:a.out:main:entry, tick|-1s { }", "tick-1s"},
		{"BEGIN { }\n// nothing|\n\nEND { }", ""},
		{"BEGIN, END|", "END"},
	} {
		if got := written(tt.script).ProbesHere(); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s: got %q", tt.script, got)
		}
	}
}
