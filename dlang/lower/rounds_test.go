package lower_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// TestRounds makes loops as their rounds, where a verifier follows these anyway, unless that
// would be too long.
func TestRounds(t *testing.T) {
	target := gen.NewEnv().Target()
	target.RoundByRound = true
	for _, tt := range []struct {
		script string
		loops  int // that are left
	}{
		{`for (int i = 0; i < 4; i++) trace(i);`, 0},
		{`int n = arg0; do { if (n & 1) break; trace(n); } while (n-- > 3; max 5)`, 0},
		{`for (int i = 0; i < 3; i++) for (int j = 0; j < 9; j++) { if (j == arg0) continue; trace(i + j); }`, 0},
		{`for (int i = 0; i < 20; i++) { trace(i); for (int j = 0; j < 90; j++) trace(j); }`, 1}, // 20 of the 90 rounds within would be too long
		{`for (int i = 0; i < 900; i++) trace(i);`, 1},
	} {
		p := checked(t, "syscall::read:entry { "+tt.script+" }", check.Options{})
		res, list := lower.Lower(p, gen.Units(p), target, gen.Options())
		if list.Failed() {
			t.Fatal(list[0].Msg)
		}
		fn := res.IR.Funcs[0]
		if err := ir.Verify(fn); err != nil {
			t.Errorf("%s: %v", tt.script, err)
		}
		if got := strings.Count(fn.String(), "maygo"); got != tt.loops {
			t.Errorf("%s: %d loops are left, want %d", tt.script, got, tt.loops)
		}
	}
}
