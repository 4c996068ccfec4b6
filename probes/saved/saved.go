// Package saved turns what debug information says of where a value lies, by DWARF's
// numbers of registers, into what a program does with the registers that were saved
// when its probe fired.
package saved

import (
	"debug/elf"

	"dscope.dev/dlang/machine"
	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/binary"
)

// CallArgs is how many words of a call scripts can ask for, arg0 to arg9: the first
// lie in registers, the others on the stack.
const CallArgs = 10

// A Convention says where the arguments of a call lie on a machine, as DWARF
// numbers registers.
type Convention struct {
	regs   []int // of the first arguments
	sp     int   // the stack pointer
	behind int64 // how far above it the next argument lies as the function begins
	on     *machine.Machine
}

var (
	amd64 = &Convention{regs: []int{5, 4, 1, 2, 8, 9}, sp: 7, behind: 8, on: machine.AMD64()}
	arm64 = &Convention{regs: []int{0, 1, 2, 3, 4, 5, 6, 7}, sp: 31, on: machine.ARM64()}

	// Those of Go, whose functions know no other calls of one another
	// (src/cmd/compile/abi-internal.md). More than nine words arm64 has in registers.
	goAMD64 = &Convention{regs: []int{0, 3, 2, 5, 4, 8, 9, 10, 11}, sp: 7, behind: 8, on: machine.AMD64()}
	goARM64 = &Convention{regs: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, sp: 31, behind: 8, on: machine.ARM64()}

	// Go's assembly, and all of Go before 1.17.
	goStackAMD64 = &Convention{sp: 7, behind: 8, on: machine.AMD64()}
	goStackARM64 = &Convention{sp: 31, behind: 8, on: machine.ARM64()}
)

// OfGo returns the convention of Go's functions on a machine, or nil: by registers, or
// with all on the stack.
func OfGo(m elf.Machine, registers bool) *Convention {
	switch {
	case m == elf.EM_X86_64 && registers:
		return goAMD64
	case m == elf.EM_X86_64:
		return goStackAMD64
	case m == elf.EM_AARCH64 && registers:
		return goARM64
	case m == elf.EM_AARCH64:
		return goStackARM64
	}
	return nil
}

// Of returns the convention of a machine, or nil.
func Of(m elf.Machine) *Convention {
	switch m {
	case elf.EM_X86_64:
		return amd64
	case elf.EM_AARCH64:
		return arm64
	}
	return nil
}

// register returns a register as a whole.
func (c *Convention) register(n int) (probes.Register, bool) {
	w := c.on.OfDWARF(n)
	if w < 0 {
		return probes.Register{Size: 8}, false
	}
	return probes.Register{Word: uint8(w), Size: 8}, true
}

// Slot returns which of arg0 to arg9 a place is, if it is one.
func (c *Convention) Slot(l binary.Location) (int, bool) {
	if l.Kind == binary.InRegister {
		for i, r := range c.regs {
			if r == l.Reg {
				return i, i < CallArgs
			}
		}
	}
	if off := l.Off - c.behind; l.Kind == binary.AtRegister && l.Reg == c.sp && off >= 0 && off%8 == 0 {
		n := len(c.regs) + int(off/8)
		return n, n < CallArgs
	}
	return 0, false
}

// Usual returns where arg0 to arg9 lie.
func (c *Convention) Usual() []probes.Operand {
	var list []probes.Operand
	for _, n := range c.regs[:min(len(c.regs), CallArgs)] {
		r, _ := c.register(n)
		list = append(list, probes.Operand{Kind: probes.Value, Size: 8, Base: r})
	}
	sp, _ := c.register(c.sp)
	for i := len(list); i < CallArgs; i++ {
		list = append(list, probes.Operand{Kind: probes.Memory, Size: 8, Base: sp, Disp: c.behind + int64(8*(i-len(c.regs)))})
	}
	return list
}

// Operand says how the value of a type is had that lies at a place.
func (c *Convention) Operand(l binary.Location, t types.Type) probes.Operand {
	o := probes.Operand{Kind: probes.Value, Size: uint8(width(t)), Signed: types.IsSigned(t)}
	if l.Kind == binary.Constant {
		o.Disp = l.Off
		return o
	}
	if l.Kind == binary.Nowhere {
		return probes.Operand{Kind: probes.Refused, Size: 8, Why: l.Why}
	}
	r, ok := c.register(l.Reg)
	if !ok {
		return probes.Operand{Kind: probes.Refused, Size: 8, Why: "it lies in a register that the kernel does not save"}
	}
	o.Base = r
	switch l.Kind {
	case binary.AtRegister:
		o.Kind, o.Disp = probes.Memory, l.Off
	case binary.FromRegister:
		o.Disp = l.Off
	}
	return o
}

// width is how many bytes of a place are read.
func width(t types.Type) int {
	switch n := t.Size(); n {
	case 1, 2, 4, 8:
		return n
	}
	return 8
}

// Shape returns the type and the place by which a parameter is given: a struct in memory
// as its address. What cannot be given is nowhere.
func Shape(p binary.Param) (types.Type, binary.Location) {
	where := p.Where
	switch t := types.Resolve(p.Type).(type) {
	case *types.Struct, *types.Array:
		if where.Kind == binary.AtRegister {
			where.Kind = binary.FromRegister
			return &types.Pointer{Elem: p.Type}, where
		}
		if where.Kind == binary.InRegister && t.Size() > 8 {
			return p.Type, binary.Location{Why: "a part of it is in a register, and nothing tells where the others are"}
		}
	case *types.Float:
		if t.Bytes > 8 {
			return p.Type, binary.Location{Why: "D knows no numbers of its size"}
		}
	}
	return p.Type, where
}

// Words are the places of the words of a value, one by one.
func Words(l binary.Location) []binary.Location {
	if l.Kind != binary.InRegisters {
		return []binary.Location{l}
	}
	var list []binary.Location
	for _, r := range l.Regs[:l.Words] {
		list = append(list, binary.Location{Kind: binary.InRegister, Reg: r})
	}
	return list
}
