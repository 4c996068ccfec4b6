package binary

import "errors"

var errLines = errors.New("the head of the lines makes no sense")

// checkLines looks at the head of the lines of a unit before the standard library
// reads it, which believes counts of directories and files that take no bytes
// (DWARF 5, section 6.2.4).
func (u *unit) checkLines(off uint64) error {
	b := u.d.section(".debug_line")
	if off >= uint64(len(b)) {
		return errShort
	}
	c := cursor{b: b, pos: int(off), order: u.d.order}
	offSize := 4
	length := uint64(c.u32())
	if length == 0xffffffff {
		offSize, length = 8, c.u64()
	}
	if length > uint64(len(b)-c.pos) {
		return errShort
	}
	c.b = b[:c.pos+int(length)]
	if c.u16() != 5 {
		return c.err // what is before counts nothing
	}
	c.take(2)               // sizes of addresses and selectors
	c.uint(offSize)         // length of the head
	c.take(5)               // sizes of instructions, operations, is_stmt, and the line's base and range
	if n := c.u8(); n > 0 { // how many bytes each standard instruction takes
		c.take(uint64(n) - 1)
	}
	for range 2 { // directories, files
		if err := c.entries(offSize); err != nil {
			return err
		}
	}
	return nil
}

// entries goes past a list of directories or files. Each must take at least a byte.
func (c *cursor) entries(offSize int) error {
	forms := make([]uint64, c.u8())
	for i := range forms {
		c.uleb() // what it tells
		forms[i] = c.uleb()
	}
	n := c.uleb()
	if c.err != nil || n > uint64(len(c.b)-c.pos) || n > 0 && len(forms) == 0 {
		return errLines
	}
	for range n {
		before := c.pos
		for _, form := range forms {
			c.skipForm(uint16(min(form, 0xffff)), offSize)
		}
		if c.err != nil || c.pos == before {
			return errLines
		}
	}
	return nil
}

// skipForm goes past a value of one of the forms that such lists have.
func (c *cursor) skipForm(form uint16, offSize int) {
	switch form {
	case formString:
		c.cstring()
	case formUdata, formStrx, formSdata:
		c.uleb()
	case formBlock:
		c.take(c.uleb())
	case formBlock1:
		c.take(uint64(c.u8()))
	case formBlock2:
		c.take(uint64(c.u16()))
	case formBlock4:
		c.take(uint64(c.u32()))
	default:
		n := fixedSize(form, 8, offSize)
		if n <= 0 {
			c.fail()
			return
		}
		c.take(uint64(n))
	}
}
