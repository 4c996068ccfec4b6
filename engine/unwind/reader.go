package unwind

import (
	"bytes"
	"encoding/binary"
)

// A reader reads numbers as unwind tables have them. After an error it gives zeros.
type reader struct {
	b    []byte
	pos  int
	addr uint64 // of b[0]
	err  error
}

func (r *reader) take(n uint64) []byte {
	if r.err != nil || r.pos > len(r.b) || n > uint64(len(r.b)-r.pos) {
		r.err = errShort
		return nil
	}
	b := r.b[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

func (r *reader) skip(n uint64) { r.take(n) }

func (r *reader) u8() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uint reads a number of 1, 2, 4 or 8 bytes.
func (r *reader) uint(n int) uint64 {
	b := r.take(uint64(n))
	if b == nil {
		return 0
	}
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (r *reader) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 || r.err != nil {
			return v
		}
	}
}

func (r *reader) sleb() int64 {
	var v int64
	for shift := uint(0); ; {
		b := r.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		shift += 7
		if b&0x80 == 0 || r.err != nil {
			if shift < 64 && b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
}

func (r *reader) cstring() []byte {
	if r.err != nil || r.pos > len(r.b) {
		r.err = errShort
		return nil
	}
	i := bytes.IndexByte(r.b[r.pos:], 0)
	if i < 0 {
		r.err = errShort
		return nil
	}
	s := r.b[r.pos : r.pos+i]
	r.pos += i + 1
	return s
}

// pointer reads an address. Its form says in the low half how large the number is and
// whether it has a sign, in the high half what it counts from.
func (r *reader) pointer(form byte) uint64 {
	const omitted, indirect, pcrel = 0xff, 0x80, 0x10
	if form == omitted {
		return 0
	}
	at := r.addr + uint64(r.pos)
	var v uint64
	switch form & 0x0f {
	case 0x00, 0x04, 0x0c:
		v = r.uint(8)
	case 0x01:
		v = r.uleb()
	case 0x02:
		v = r.uint(2)
	case 0x03:
		v = r.uint(4)
	case 0x09:
		v = uint64(r.sleb())
	case 0x0a:
		v = uint64(int16(r.uint(2)))
	case 0x0b:
		v = uint64(int32(r.uint(4)))
	default:
		r.err = errShort
	}
	switch form & 0x70 {
	case 0:
	case pcrel:
		v += at
	default: // from sections that only 32-bit code counts from
		if form&indirect == 0 {
			r.err = errShort
		}
	}
	return v
}
