package binary

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errShort = errors.New("the debug information ends too early")

// A cursor reads bytes one after the other. After an error it stays at its
// place and gives zeros.
type cursor struct {
	b     []byte
	pos   int
	order binary.ByteOrder
	err   error
}

func (c *cursor) fail() {
	if c.err == nil {
		c.err = errShort
	}
}

// take returns the next n bytes, nil if there are not as many.
func (c *cursor) take(n uint64) []byte {
	if c.err != nil || n > uint64(len(c.b)-c.pos) {
		c.fail()
		return nil
	}
	b := c.b[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
	return b
}

func (c *cursor) u8() uint8 {
	if c.err != nil || c.pos >= len(c.b) {
		c.fail()
		return 0
	}
	c.pos++
	return c.b[c.pos-1]
}

func (c *cursor) u16() uint16 {
	if b := c.take(2); b != nil {
		return c.order.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return c.order.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return c.order.Uint64(b)
	}
	return 0
}

// uint reads an unsigned number of n bytes: 1, 2, 3, 4 or 8.
func (c *cursor) uint(n int) uint64 {
	switch n {
	case 1:
		return uint64(c.u8())
	case 2:
		return uint64(c.u16())
	case 3:
		b := c.take(3)
		if b == nil {
			return 0
		}
		if c.order == binary.ByteOrder(binary.BigEndian) {
			return uint64(b[0])<<16 | uint64(b[1])<<8 | uint64(b[2])
		}
		return uint64(b[2])<<16 | uint64(b[1])<<8 | uint64(b[0])
	case 4:
		return uint64(c.u32())
	case 8:
		return c.u64()
	}
	c.fail()
	return 0
}

// uleb reads an unsigned number of seven bits a byte; bits that do not fit are
// lost.
func (c *cursor) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := c.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 || c.err != nil {
			return v
		}
	}
}

// sleb reads a signed one.
func (c *cursor) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := c.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 || c.err != nil {
			if shift < 64 && b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
}

// cstring reads up to a zero and returns what is before it.
func (c *cursor) cstring() []byte {
	if c.err != nil {
		return nil
	}
	i := bytes.IndexByte(c.b[c.pos:], 0)
	if i < 0 {
		c.fail()
		return nil
	}
	s := c.b[c.pos : c.pos+i]
	c.pos += i + 1
	return s
}

// stringAt returns the string at an offset of a table of strings.
func stringAt(table []byte, off uint64) []byte {
	if off >= uint64(len(table)) {
		return nil
	}
	b := table[off:]
	b = b[:min(len(b), maxName)]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
