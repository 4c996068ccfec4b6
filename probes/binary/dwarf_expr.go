package binary

import "slices"

// The operations of DWARF's expressions that are understood (DWARF 5, section 7.7).
const (
	opAddr        = 0x03
	opDeref       = 0x06
	opConst1u     = 0x08
	opConst1s     = 0x09
	opConst2u     = 0x0a
	opConst2s     = 0x0b
	opConst4u     = 0x0c
	opConst4s     = 0x0d
	opConst8u     = 0x0e
	opConst8s     = 0x0f
	opConstu      = 0x10
	opConsts      = 0x11
	opPlusUconst  = 0x23
	opLit0        = 0x30
	opReg0        = 0x50
	opBreg0       = 0x70
	opRegx        = 0x90
	opFbreg       = 0x91
	opBregx       = 0x92
	opPiece       = 0x93
	opCallFrame   = 0x9c
	opStackValue  = 0x9f
	opEntryValue  = 0xa3
	opGNUEntryVal = 0xf3
)

// A Location says where a value is found when a function is entered.
type Location struct {
	Kind LocationKind
	Reg  int    // as DWARF numbers the registers of the machine; RegisterName names it
	Off  int64  // in bytes from what the register holds; the value itself if it is Constant
	Why  string // of Nowhere

	// Regs are, of InRegisters, those that hold the words of the value, and Words says
	// how many they are.
	Regs  [mostRegs]int
	Words int
}

// mostRegs is of how many registers a Location can tell: a slice of Go has three.
const mostRegs = 4

// A LocationKind tells Locations apart.
type LocationKind uint8

// The kinds of locations.
const (
	Nowhere      LocationKind = iota // Why says why
	InRegister                       // the register holds the value
	AtRegister                       // the value is in memory, Off bytes from where the register points
	Constant                         // the compiler knew it: Off
	FromRegister                     // the value is what the register holds plus Off
	InRegisters                      // registers hold the words of the value, in the order in which they would lie in memory
)

// where turns an expression into a Location. Frame is what DW_OP_fbreg counts
// from; nil if that is not known.
func (u *unit) where(expr []byte, frame *Location) (Location, bool) {
	c := cursor{b: expr, order: u.d.order}
	op := c.u8()
	var l Location
	switch {
	case op >= opLit0 && op < opReg0:
		l = Location{Kind: Constant, Off: int64(op - opLit0)}
	case op >= opReg0 && op < opBreg0:
		l = Location{Kind: InRegister, Reg: int(op - opReg0)}
	case op >= opBreg0 && op < opRegx:
		l = Location{Kind: AtRegister, Reg: int(op - opBreg0), Off: c.sleb()}
	case op == opRegx:
		l = Location{Kind: InRegister, Reg: int(min(c.uleb(), 1<<16))}
	case op == opBregx:
		l = Location{Kind: AtRegister, Reg: int(min(c.uleb(), 1<<16)), Off: c.sleb()}
	case op == opFbreg:
		if frame == nil {
			return l, false
		}
		l = *frame
		l.Off += c.sleb()
	case op == opCallFrame:
		if frame == nil {
			return l, false
		}
		l = *frame
	case op == opEntryValue || op == opGNUEntryVal:
		return u.where(c.take(c.uleb()), frame) // at the entry it is what it was at the entry
	default:
		v, ok := c.constant(op)
		if !ok {
			return l, false
		}
		l = Location{Kind: Constant, Off: v}
	}
	if c.err != nil {
		return l, false
	}
	if c.pos == len(expr) {
		return l, l.Kind != Constant // a bare number would be an address
	}
	if c.u8() == opStackValue && c.pos == len(expr) {
		switch l.Kind {
		case AtRegister:
			l.Kind = FromRegister
		case InRegister:
			return l, false
		}
		return l, true
	}
	return l, false
}

// constant reads the operand of an operation that pushes a number.
func (c *cursor) constant(op uint8) (int64, bool) {
	switch op {
	case opConst1u:
		return int64(c.u8()), true
	case opConst1s:
		return int64(int8(c.u8())), true
	case opConst2u:
		return int64(c.u16()), true
	case opConst2s:
		return int64(int16(c.u16())), true
	case opConst4u:
		return int64(c.u32()), true
	case opConst4s:
		return int64(int32(c.u32())), true
	case opConst8u, opConst8s:
		return int64(c.u64()), true
	case opConstu:
		return int64(c.uleb()), true
	case opConsts:
		return c.sleb(), true
	}
	return 0, false
}

// locationAt returns the expression of a location that holds at pc: of a list the
// one that covers it.
func (u *unit) locationAt(v value, pc uint64) ([]byte, bool) {
	switch v.form {
	case formExprloc, formBlock, formBlock1, formBlock2, formBlock4:
		return v.b, true
	case formSecOffset, formLoclistx, formData4, formData8:
		if u.version < 5 {
			return u.oldLocation(v.u, pc)
		}
		return u.newLocation(v, pc)
	}
	return nil, false
}

// oldLocation looks into a list of DWARF 2 to 4.
func (u *unit) oldLocation(off, pc uint64) ([]byte, bool) {
	b := u.d.section(".debug_loc")
	if off >= uint64(len(b)) {
		return nil, false
	}
	c := cursor{b: b, pos: int(off), order: u.d.order}
	base := u.base().low
	for range maxRanges {
		low, high := c.uint(u.addrSize), c.uint(u.addrSize)
		if c.err != nil || low == 0 && high == 0 {
			return nil, false
		}
		if low == 1<<64-1 || u.addrSize == 4 && low == 1<<32-1 {
			base = high
			continue
		}
		expr := c.take(uint64(c.u16()))
		if c.err == nil && covers(base+low, base+high, pc) {
			return expr, true
		}
	}
	return nil, false
}

// newLocation looks into a list of DWARF 5.
func (u *unit) newLocation(v value, pc uint64) ([]byte, bool) {
	b, off := u.d.section(".debug_loclists"), v.u
	if v.form == formLoclistx {
		rel, ok := u.indexed(".debug_loclists", u.base().locBase, v.u, u.offSize)
		if !ok {
			return nil, false
		}
		off = u.base().locBase + rel
	}
	if off >= uint64(len(b)) {
		return nil, false
	}
	c := cursor{b: b, pos: int(off), order: u.d.order}
	base := u.base().low
	addrx := func() uint64 {
		a, _ := u.indexed(".debug_addr", u.base().adrBase, c.uleb(), u.addrSize)
		return a
	}
	for range maxRanges {
		var low, high uint64
		switch kind := c.u8(); kind {
		case 1:
			base = addrx()
			continue
		case 2:
			low, high = addrx(), addrx()
		case 3:
			low = addrx()
			high = low + c.uleb()
		case 4:
			low, high = c.uleb(), c.uleb()
			low, high = base+low, base+high
		case 5: // where no other covers
			high = 1<<64 - 1
		case 6:
			base = c.uint(u.addrSize)
			continue
		case 7:
			low, high = c.uint(u.addrSize), c.uint(u.addrSize)
		case 8:
			low = c.uint(u.addrSize)
			high = low + c.uleb()
		case 9: // views, which are about where to stop
			c.uleb()
			c.uleb()
			continue
		default:
			return nil, false
		}
		expr := c.take(c.uleb())
		if c.err != nil {
			return nil, false
		}
		if covers(low, high, pc) {
			return slices.Clip(expr), true
		}
	}
	return nil, false
}

// covers reports whether a location holds when pc is reached. One that holds from an
// address to itself is of something that happens between two instructions, such as
// a call that was done away with.
func covers(low, high, pc uint64) bool {
	return low <= pc && pc < high || low == pc && high == pc
}
