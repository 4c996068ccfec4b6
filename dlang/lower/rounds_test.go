package lower_test

import (
	"fmt"
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

// TestEnough leaves a unit of which the first clauses are enough: its size is reckoned well, others
// are whole, and each that is whole is given away once.
func TestEnough(t *testing.T) {
	var script strings.Builder
	for i := range 100 {
		fmt.Fprintf(&script, "syscall::read:entry { @a[execname, pid, %d] = count(); }\n", i)
	}
	script.WriteString("syscall::read:return { trace(arg0); }\n")
	p := checked(t, script.String(), check.Options{})
	target, made := gen.NewEnv().Target(), map[*ir.Func]int{}
	target.Made = func(f *ir.Func) { made[f]++ }
	whole, list := lower.Lower(p, gen.Units(p), target, gen.Options())
	if list.Failed() || whole.Left || len(made) != len(whole.IR.Funcs) {
		t.Fatalf("left %t, %d of %d functions, %v", whole.Left, len(made), len(whole.IR.Funcs), list)
	}
	for i, f := range whole.IR.Funcs {
		if made[f] != 1 || f.Unit >= 0 && whole.Sizes[f.Unit] != float64(f.Size()) {
			t.Errorf("function %d was given %d times; it has %d values, not %v", i, made[f], f.Size(), whole.Sizes)
		}
	}
	clear(made)
	units := gen.Units(p)
	for i := range units {
		units[i].Enough = 200
	}
	left, list := lower.Lower(p, units, target, gen.Options())
	if list.Failed() || !left.Left || len(made) != len(left.IR.Funcs)-1 {
		t.Fatalf("left %t, %d of %d functions, %v", left.Left, len(made), len(left.IR.Funcs), list)
	}
	for i, n := range left.Sizes {
		if n < 0.9*whole.Sizes[i] || n > 1.1*whole.Sizes[i] {
			t.Errorf("unit %d is reckoned to have %.0f operations, and has %.0f", i, n, whole.Sizes[i])
		}
	}
}
