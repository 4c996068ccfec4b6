package user

import (
	"debug/elf"
	"fmt"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/binary"
)

// A spot is one of the places of a probe.
type spot struct {
	hook   probes.Hook
	object *object
	addr   uint64       // of the instruction, in the file's own counting
	entry  bool         // whether a function begins there
	back   bool         // whether it is about a return
	copied *binary.Copy // the copy of a function that begins there; nil if it is the function itself
}

// A convention says where the arguments of a call lie on a machine, as DWARF
// numbers registers.
type convention struct {
	regs   []int       // of the first arguments
	sp     int         // the stack pointer
	behind int64       // how far above it the next argument lies as the function begins
	words  map[int]int // which word of struct pt_regs a register is; nil if that is its number
}

var conventions = map[elf.Machine]*convention{
	elf.EM_X86_64: {regs: []int{5, 4, 1, 2, 8, 9}, sp: 7, behind: 8, words: map[int]int{
		0: 10, 1: 12, 2: 11, 3: 5, 4: 13, 5: 14, 6: 4, 7: 19, 8: 9, 9: 8, 10: 7, 11: 6, 12: 3, 13: 2, 14: 1, 15: 0, 16: 16}},
	elf.EM_AARCH64: {regs: []int{0, 1, 2, 3, 4, 5, 6, 7}, sp: 31},
}

// register returns a register as a whole.
func (c *convention) register(n int) (probes.Register, bool) {
	if c.words == nil {
		return probes.Register{Word: uint8(n), Size: 8}, n >= 0 && n <= c.sp
	}
	w, ok := c.words[n]
	return probes.Register{Word: uint8(w), Size: 8}, ok
}

// slot returns which of arg0 to arg9 a place is, if it is one.
func (c *convention) slot(l binary.Location) (int, bool) {
	if l.Kind == binary.InRegister {
		for i, r := range c.regs {
			if r == l.Reg {
				return i, true
			}
		}
	}
	if off := l.Off - c.behind; l.Kind == binary.AtRegister && l.Reg == c.sp && off >= 0 && off%8 == 0 {
		n := len(c.regs) + int(off/8)
		return n, n < callArgs
	}
	return 0, false
}

// usual returns where arg0 to arg9 lie.
func (c *convention) usual() []probes.Operand {
	var list []probes.Operand
	for _, n := range c.regs {
		r, _ := c.register(n)
		list = append(list, probes.Operand{Kind: probes.Value, Size: 8, Base: r})
	}
	sp, _ := c.register(c.sp)
	for i := len(list); i < callArgs; i++ {
		list = append(list, probes.Operand{Kind: probes.Memory, Size: 8, Base: sp, Disp: c.behind + int64(8*(i-len(c.regs)))})
	}
	return list
}

// operand turns a place of the debug information into what is done with saved
// registers.
func (c *convention) operand(l binary.Location, size int, signed bool) probes.Operand {
	o := probes.Operand{Kind: probes.Value, Size: uint8(size), Signed: signed}
	if l.Kind == binary.Constant {
		o.Disp = l.Off
		return o
	}
	r, ok := c.register(l.Reg)
	if l.Kind == binary.Nowhere || !ok {
		return probes.Operand{Kind: probes.Refused, Size: 8, Why: l.Why}
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

// describe fills in the typed arguments of a site, as far as the debug information
// tells them. A struct that does not fit a register is given as its address.
func (s *spot) describe(site *probes.Site, scattered bool) {
	conv := conventions[s.object.machine]
	d, err := s.object.debugInfo()
	if err != nil || conv == nil {
		return
	}
	if s.back {
		s.result(site, d)
		return
	}
	var params []binary.Param
	if s.copied != nil {
		params, err = s.copied.Params()
	} else {
		f, ok := d.FuncAt(s.addr)
		if !ok || f.Entry != s.addr {
			return
		}
		params, _, err = f.Params()
	}
	if err != nil {
		return
	}
	var extra []probes.Operand
	for _, p := range params {
		a := probes.Arg{Name: p.Name, Type: p.Type, User: true}
		where := p.Where
		if where.Kind == binary.Nowhere && s.copied != nil {
			where.Why = fmt.Sprintf("%s where it was put into %s (line %d)", where.Why, s.copied.Into.Full(), s.copied.Line)
		}
		switch types.Resolve(p.Type).(type) {
		case *types.Struct, *types.Array:
			if where.Kind == binary.AtRegister {
				a.Type, where.Kind = &types.Pointer{Elem: p.Type}, binary.FromRegister
			} else if where.Kind == binary.InRegister && p.Type.Size() > 8 {
				a.Type = types.Bad
			}
		case *types.Float:
			a.Type = types.Bad
		}
		slot, ok := conv.slot(where)
		if ok && !scattered {
			a.Slot = slot
		} else {
			a.Slot = callArgs + len(extra)
			extra = append(extra, conv.operand(where, width(a.Type), types.IsSigned(a.Type)))
		}
		site.Args = append(site.Args, a)
	}
	if len(extra) > 0 {
		site.Operands = append(conv.usual(), extra...)
	}
}

// width is how many bytes of a place are read.
func width(t types.Type) int {
	switch n := t.Size(); n {
	case 1, 2, 4, 8:
		return n
	}
	return 8
}

// result types what a function returns: args[1], as args[0] would be the place of
// the instruction that returns.
func (s *spot) result(site *probes.Site, d *binary.Debug) {
	f, ok := d.FuncAt(s.addr)
	if !ok {
		return
	}
	_, result, err := f.Params()
	if err != nil || result == nil {
		return
	}
	site.Args = []probes.Arg{{Type: types.UInt64}}
	switch t := types.Resolve(result).(type) {
	case *types.Int, *types.Pointer, *types.Enum:
		site.Args = append(site.Args, probes.Arg{Type: result, Slot: 1, User: true})
	case *types.Struct:
		if t.Size() > 0 && t.Size() <= 8 {
			site.Args = append(site.Args, probes.Arg{Type: result, Slot: 1, User: true})
		}
	}
}
