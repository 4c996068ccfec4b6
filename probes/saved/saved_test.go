package saved

import (
	"debug/elf"
	"slices"
	"testing"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/binary"
)

// The first arguments of a call lie in registers, the others above what is returned to.
func TestUsual(t *testing.T) {
	word := func(n uint8) probes.Operand {
		return probes.Operand{Kind: probes.Value, Size: 8, Base: probes.Register{Word: n, Size: 8}}
	}
	above := func(sp uint8, bytes int64) probes.Operand {
		return probes.Operand{Kind: probes.Memory, Size: 8, Base: probes.Register{Word: sp, Size: 8}, Disp: bytes}
	}
	for _, tt := range []struct {
		machine elf.Machine
		want    [CallArgs]probes.Operand
	}{
		// di, si, dx, cx, r8, r9 of struct pt_regs; sp is its word 19
		{elf.EM_X86_64, [CallArgs]probes.Operand{word(14), word(13), word(12), word(11), word(9), word(8), above(19, 8), above(19, 16), above(19, 24), above(19, 32)}},
		{elf.EM_AARCH64, [CallArgs]probes.Operand{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7), above(31, 0), above(31, 8)}},
	} {
		got := Of(tt.machine).Usual()
		if len(got) != CallArgs {
			t.Fatalf("%v: %d arguments", tt.machine, len(got))
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%v: arg%d is %+v, want %+v", tt.machine, i, got[i], tt.want[i])
			}
		}
	}
	if Of(elf.EM_RISCV) != nil {
		t.Error("a machine that nobody has described has a convention")
	}
}

func TestSlot(t *testing.T) {
	const sp = 7
	for _, tt := range []struct {
		at   binary.Location
		slot int
		ok   bool
	}{
		{binary.Location{Kind: binary.InRegister, Reg: 5}, 0, true},
		{binary.Location{Kind: binary.InRegister, Reg: 9}, 5, true},
		{binary.Location{Kind: binary.InRegister, Reg: 3}, 0, false}, // rbx
		{binary.Location{Kind: binary.AtRegister, Reg: sp, Off: 8}, 6, true},
		{binary.Location{Kind: binary.AtRegister, Reg: sp, Off: 32}, 9, true},
		{binary.Location{Kind: binary.AtRegister, Reg: sp, Off: 40}, 0, false}, // no arg10
		{binary.Location{Kind: binary.AtRegister, Reg: sp, Off: 0}, 0, false},  // what is returned to
		{binary.Location{Kind: binary.AtRegister, Reg: sp, Off: 12}, 0, false},
		{binary.Location{Kind: binary.AtRegister, Reg: 5, Off: 8}, 0, false},
		{binary.Location{Kind: binary.Constant, Off: 8}, 0, false},
	} {
		if slot, ok := Of(elf.EM_X86_64).Slot(tt.at); ok != tt.ok || ok && slot != tt.slot {
			t.Errorf("%+v is arg%d, %v", tt.at, slot, ok)
		}
	}
}

func TestOperand(t *testing.T) {
	short := &types.Int{Name: "short", Bytes: 2, Signed: true}
	di := probes.Register{Word: 14, Size: 8}
	for _, tt := range []struct {
		at   binary.Location
		want probes.Operand
	}{
		{binary.Location{Kind: binary.InRegister, Reg: 5}, probes.Operand{Kind: probes.Value, Size: 2, Signed: true, Base: di}},
		{binary.Location{Kind: binary.AtRegister, Reg: 5, Off: -16}, probes.Operand{Kind: probes.Memory, Size: 2, Signed: true, Base: di, Disp: -16}},
		{binary.Location{Kind: binary.FromRegister, Reg: 5, Off: 3}, probes.Operand{Kind: probes.Value, Size: 2, Signed: true, Base: di, Disp: 3}},
		{binary.Location{Kind: binary.Constant, Off: -7}, probes.Operand{Kind: probes.Value, Size: 2, Signed: true, Disp: -7}},
		{binary.Location{Kind: binary.Nowhere, Why: "optimised out"}, probes.Operand{Kind: probes.Refused, Size: 8, Why: "optimised out"}},
		{binary.Location{Kind: binary.InRegister, Reg: 17}, probes.Operand{Kind: probes.Refused, Size: 8, Why: "it lies in a register that the kernel does not save"}}, // xmm0
	} {
		if got := Of(elf.EM_X86_64).Operand(tt.at, short); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.at, got, tt.want)
		}
	}
}

// What lies in memory is given as its address, and what no program sees as a whole not at
// all.
func TestShape(t *testing.T) {
	pair := types.NewStruct(false, "pair", nil)
	pair.SetFields(nil, 16, 8)
	small := types.NewStruct(false, "small", nil)
	small.SetFields(nil, 8, 8)
	in, at := binary.Location{Kind: binary.InRegister, Reg: 5}, binary.Location{Kind: binary.AtRegister, Reg: 7, Off: 8}
	both := binary.Location{Kind: binary.InRegisters, Regs: [4]int{5, 4}, Words: 2}
	for _, tt := range []struct {
		typ   types.Type
		where binary.Location
		want  string
		kind  binary.LocationKind
	}{
		{pair, at, "struct pair *", binary.FromRegister},
		{pair, in, "struct pair", binary.Nowhere},
		{pair, both, "struct pair", binary.InRegisters},
		{small, in, "struct small", binary.InRegister},
		{&types.Float{Name: "double", Bytes: 8}, at, "double", binary.AtRegister},
		{&types.Float{Name: "long double", Bytes: 16}, at, "long double", binary.Nowhere},
		{&types.Int{Name: "int", Bytes: 4, Signed: true}, at, "int", binary.AtRegister},
	} {
		typ, where := Shape(binary.Param{Type: tt.typ, Where: tt.where})
		if typ.String() != tt.want || where.Kind != tt.kind {
			t.Errorf("%v: %v in a place of kind %d, want %s and %d", tt.typ, typ, where.Kind, tt.want, tt.kind)
		}
	}
}

// A value in several registers is in each of them by a word.
func TestWords(t *testing.T) {
	both := binary.Location{Kind: binary.InRegisters, Regs: [4]int{5, 4}, Words: 2}
	want := []binary.Location{{Kind: binary.InRegister, Reg: 5}, {Kind: binary.InRegister, Reg: 4}}
	if got := Words(both); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Words(want[0]); !slices.Equal(got, want[:1]) {
		t.Errorf("one register: %v", got)
	}
}

// Functions in Go have their arguments elsewhere than those in C.
func TestOfGo(t *testing.T) {
	for _, m := range []elf.Machine{elf.EM_X86_64, elf.EM_AARCH64} {
		for _, registers := range []bool{true, false} {
			list := OfGo(m, registers).Usual()
			if len(list) != CallArgs || (list[0].Kind == probes.Value) != registers {
				t.Errorf("%s, in registers %v: %+v", m, registers, list)
			}
		}
	}
	if o := OfGo(elf.EM_X86_64, false).Usual()[1]; o.Disp != 16 {
		t.Errorf("the second word on the stack lies at %d", o.Disp)
	}
	if o := OfGo(elf.EM_X86_64, true).Usual()[1]; o.Base.Word != 5 { // rbx
		t.Errorf("the second word lies in %+v", o.Base)
	}
	if OfGo(elf.EM_386, true) != nil {
		t.Error("another machine has a convention")
	}
}
