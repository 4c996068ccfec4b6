package snippet

import (
	"testing"

	"dscope.dev/dlang/format"
	"dscope.dev/dlang/token"
)

// TestLaidOut holds snippets to what the layout of scripts makes of them.
func TestLaidOut(t *testing.T) {
	for _, s := range All {
		out, list := format.Script(token.NewFile(s.Name, s.Text))
		if list.Failed() || out != s.Text {
			t.Errorf("%s: %v\n%s", s.Name, list, out)
		}
	}
}

func TestFor(t *testing.T) {
	if got := For("s"); len(got) != 2 || len(For("")) > 0 || len(For("latencyx")) > 0 {
		t.Errorf("For(s) = %v", got)
	}
}
