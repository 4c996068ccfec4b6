package lower_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// A panic is a complaint about what was being lowered.
func TestMishap(t *testing.T) {
	p := checked(t, "BEGIN { x = 1; }\nsyscall::read:entry\n{\n\tx = 2;\n\tx = 3;\n}\n", check.Options{})
	target, asked := gen.NewEnv().Target(), 0
	target.Stopped = func() bool {
		if asked++; asked == 5 { // each clause and each statement asks
			panic("broken")
		}
		return false
	}
	_, list := lower.Lower(p, gen.Units(p), target, gen.Options())
	if len(list) != 1 || list[0].Code != diag.Internal || !strings.Contains(list[0].Msg, "lowering could not go on here: broken (") {
		t.Fatalf("got %v", list)
	}
	if _, line, _ := p.File.Place(list[0].At.From); line < 2 || line > 5 {
		t.Errorf("line %d, want one of the clause that was being lowered", line)
	}
}
