package lower_test

import (
	"fmt"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
	"dscope.dev/dlang/lower/gen"
)

// TestCopyout writes to memory of a process, which most kernels of servers let no
// program do.
func TestCopyout(t *testing.T) {
	for _, tt := range []struct{ do, want string }{
		{`copyout("abcdef", arg0, 3)`, "abc-----"},
		{`copyout("ab", arg0, 5)`, "ab\x00\x00\x00---"},
		{`copyout("abcdef", arg0, arg1)`, "abcd----"},
		{`copyout("abcdef", arg0, arg2)`, "--------"}, // of no byte
		{`this->p = (char *)alloca(4); this->p[0] = 'x'; this->p[1] = 'y'; copyout(this->p, arg0 + 1, 2)`, "-xy-----"},
		{`this->p = (char *)alloca(8); copyout(this->p, arg0, 9)`, "fault 1"},
		{`copyout("abcdef", arg0 + 4, 6)`, "fault 1"},
		{`copyout("abcdef", arg0, -1)`, "fault 10"},
		{`copyout((void *)8, arg0, 2)`, "fault 1"},
		{`copyoutstr("abc", arg0, 8)`, "abc\x00----"},
		{`copyoutstr("abc", arg0, 4)`, "abc\x00----"},
		{`copyoutstr("abc", arg0, 2)`, "ab------"},
		{`copyoutstr("abc", arg0, arg2)`, "--------"},
		{`copyoutstr("abc", 8, 2)`, "fault 1"},
		{`copyoutstr(strchr("abc", 'x'), arg0, 2)`, "fault 1"},
	} {
		for _, level := range []int{0, 2} {
			if got := copiedOut(t, tt.do, level); got != tt.want {
				t.Errorf("-O%d: %s leaves %q, want %q", level, tt.do, got, tt.want)
			}
		}
	}
}

// copiedOut runs a statement, and returns what 8 bytes of the process then are, or
// the fault.
func copiedOut(t *testing.T, do string, level int) string {
	t.Helper()
	const at = 0x1000
	p := checked(t, "exec { "+do+"; }", check.Options{Destructive: true})
	res := optimised(t, p, gen.Units(p), level)
	firing := &interp.Firing{Args: [10]int64{at, 4, 0}, User: map[int64]byte{}, Builtins: map[ir.Sym]int64{"stopped": 0}}
	for i := range int64(8) {
		firing.User[at+i] = '-'
	}
	m := fire(t, res, firing)
	for _, e := range m.Out {
		if e.Kind == "fault" {
			return fmt.Sprintf("fault %d", e.Index&255)
		}
	}
	b := make([]byte, 8)
	for i := range b {
		b[i] = firing.User[at+int64(i)]
	}
	return string(b)
}
