package lower_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// regs is what the interpreter adds to the number of a saved register to have its
// value; at memory lie the bytes 0x80 to 0x9f of the process.
const (
	regs   = 0x11223344_fffffe80
	memory = 0x5000
)

// withOperands makes the units of a script, whose sites say where arg0, arg1, … lie.
func withOperands(t *testing.T, text string, list []lower.Operand) (*check.Program, []lower.Unit) {
	t.Helper()
	p := checked(t, text, check.Options{})
	units := gen.Units(p)
	for i := range units {
		for j := range units[i].Sites {
			units[i].Sites[j].Operands = list
		}
	}
	return p, units
}

func TestOperands(t *testing.T) {
	r := func(word int64, size int) lower.Register { return lower.Register{Word: word, Size: size} }
	const high = memory - regs // from a register to the process's memory
	for _, tt := range []struct {
		name   string
		o      lower.Operand
		want   int64
		faults bool
	}{
		{"a register", lower.Operand{Size: 8, Base: r(10, 8)}, regs + 10, false},
		{"half a register", lower.Operand{Size: 4, Base: r(10, 4)}, 0xfffffe8a, false},
		{"half a register with a sign", lower.Operand{Size: 4, Signed: true, Base: r(10, 4)}, -0x176, false},
		{"two bytes with a sign", lower.Operand{Size: 2, Signed: true, Base: r(0, 2)}, -0x180, false},
		{"the second byte", lower.Operand{Size: 1, Base: lower.Register{Word: 0, Size: 1, High: true}}, 0xfe, false},
		{"the second byte with a sign", lower.Operand{Size: 1, Signed: true, Base: lower.Register{Word: 0, Size: 1, High: true}}, -2, false},
		{"a constant", lower.Operand{Size: 4, Signed: true, Disp: -5}, -5, false},
		{"a constant without a sign", lower.Operand{Size: 4, Disp: -5}, 0xfffffffb, false},
		{"a sum", lower.Operand{Size: 8, Base: r(1, 8), Index: r(2, 1), Shift: 3, Disp: 7}, regs + 1 + 8*0x82 + 7, false},
		{"a widened index", lower.Operand{Size: 8, Index: lower.Register{Word: 0, Size: 4, Signed: true}, Shift: 1}, -2 * 0x180, false},
		{"an address of the program", lower.Operand{Size: 8, PC: true, Disp: 100}, regs + 16 + 100, false},
		{"memory", lower.Operand{Memory: true, Size: 4, Base: r(0, 8), Disp: high}, 0x83828180, false},
		{"memory with a sign", lower.Operand{Memory: true, Size: 4, Signed: true, Base: r(3, 8), Disp: high}, -0x797a7b7d, false},
		{"a byte of memory", lower.Operand{Memory: true, Size: 1, Signed: true, Base: r(1, 8), Disp: high}, -0x7f, false},
		{"memory of the kernel", lower.Operand{Memory: true, Kernel: true, Size: 2, Base: r(0, 8), Disp: high}, 0x4140, false},
		{"memory that is not there", lower.Operand{Memory: true, Size: 8, Base: r(0, 8)}, 0, true},
		{"memory that may be missing", lower.Operand{Memory: true, Size: 8, Base: r(0, 8), Try: true}, 0, false},
		{"memory that may be missing and is there", lower.Operand{Memory: true, Size: 2, Base: r(0, 8), Disp: high, Try: true}, 0x8180, false},
	} {
		for level := range 2 {
			got, faults := evaluate(t, tt.o, 2*level)
			if got != tt.want || faults != tt.faults {
				t.Errorf("%s, level %d: got %#x, fault %v; want %#x, %v", tt.name, 2*level, got, faults, tt.want, tt.faults)
			}
		}
	}
}

// evaluate runs a clause that keeps arg1, and returns it.
func evaluate(t *testing.T, o lower.Operand, level int) (value int64, fault bool) {
	t.Helper()
	p, units := withOperands(t, `syscall::read:entry { kept = arg1; beyond = arg2; }`, []lower.Operand{{Size: 8}, o})
	res := optimised(t, p, units, level)
	shot := gen.Firings([]gen.Shot{{Hook: "entry"}})[0]
	shot.Builtins["reg"] = regs
	shot.Args = [10]int64{1: 77, 2: 88}
	shot.User = map[int64]byte{}
	for i := range int64(2) {
		shot.Kernel[memory+i] = byte(0x40 + i)
	}
	for i := range int64(32) {
		shot.User[memory+i] = byte(0x80 + i)
	}
	m := fire(t, res, shot)
	for i, v := range res.IR.Vars {
		switch v.Name {
		case "kept":
			value = int64(binary.LittleEndian.Uint64(m.Globals[i]))
		case "beyond":
			if got := binary.LittleEndian.Uint64(m.Globals[i]); got != 0 {
				t.Errorf("an argument that is not there is %d", got)
			}
		}
	}
	return value, len(m.Out) > 0 && m.Out[0].Kind == "fault"
}

// TestRefusedOperand holds that what cannot be had is refused where it is asked for, and
// by name, and nowhere else.
func TestRefusedOperand(t *testing.T) {
	list := []lower.Operand{{Size: 8, Refused: "8f@%xmm0 is a floating-point number"}, {Size: 8, Disp: 3}}
	refused := func(text string) diag.List {
		p, units := withOperands(t, text, list)
		_, complaints := lower.Lower(p, units, gen.NewEnv().Target(), gen.Options())
		return complaints
	}
	if complaints := refused(`syscall::read:entry { trace(arg1); }`); complaints.Failed() {
		t.Error(complaints[0].Msg)
	}
	complaints := refused(`syscall::read:entry { trace(arg0); }`)
	if !complaints.Failed() || !strings.HasPrefix(complaints[0].Msg, "arg0 of syscall:") || !strings.HasSuffix(complaints[0].Msg, ": 8f@%xmm0 is a floating-point number") {
		t.Errorf("got %v", complaints)
	}
}
