package lower_test

import (
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower/gen"
)

// TestJump fires at jumps of x86 if they are taken, with all flags that matter in all
// combinations.
func TestJump(t *testing.T) {
	taken := []func(c, p, z, s, o bool) bool{ // as the manual of the processor has it
		func(_, _, _, _, o bool) bool { return o },           // JO
		func(_, _, _, _, o bool) bool { return !o },          // JNO
		func(c, _, _, _, _ bool) bool { return c },           // JB
		func(c, _, _, _, _ bool) bool { return !c },          // JAE
		func(_, _, z, _, _ bool) bool { return z },           // JE
		func(_, _, z, _, _ bool) bool { return !z },          // JNE
		func(c, _, z, _, _ bool) bool { return c || z },      // JBE
		func(c, _, z, _, _ bool) bool { return !c && !z },    // JA
		func(_, _, _, s, _ bool) bool { return s },           // JS
		func(_, _, _, s, _ bool) bool { return !s },          // JNS
		func(_, p, _, _, _ bool) bool { return p },           // JP
		func(_, p, _, _, _ bool) bool { return !p },          // JNP
		func(_, _, _, s, o bool) bool { return s != o },      // JL
		func(_, _, _, s, o bool) bool { return s == o },      // JGE
		func(_, _, z, s, o bool) bool { return z || s != o }, // JLE
		func(_, _, z, s, o bool) bool { return !z && s == o },
	}
	for code, want := range taken {
		fired := firesAtJump(t, uint8(code+1))
		for n := range 1 << 5 {
			has := func(i int) bool { return n>>i&1 != 0 }
			flags := int64(0x202) // interrupts are on, and a bit that always is
			for i, bit := range []int{0, 2, 6, 7, 11} {
				if has(i) {
					flags |= 1 << bit
				}
			}
			if got := fired(flags); got != want(has(0), has(1), has(2), has(3), has(4)) {
				t.Errorf("jump %d with flags %#x: fires %v", code, flags, got)
			}
		}
	}
}

// firesAtJump returns what tells whether a clause at a jump fires with some flags.
func firesAtJump(t *testing.T, jump uint8) func(flags int64) bool {
	t.Helper()
	p := checked(t, `syscall::read:entry { trace(1); }`, check.Options{})
	units := gen.Units(p)
	for i := range units {
		units[i].Jump = jump
	}
	res := optimised(t, p, units, 2)
	return func(flags int64) bool {
		shot := gen.Firings([]gen.Shot{{Hook: "entry"}})[0]
		const flagsWord = 18 // the interpreter adds the number of a register to this
		shot.Builtins["reg"] = flags - flagsWord
		return len(fire(t, res, shot).Out) > 0
	}
}
