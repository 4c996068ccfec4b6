package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Symbols travel from the process that has read them (package resolver) as
//
//	segments, symbols, names   how many, uint32
//	segment                    off, size, addr uint64, exec byte
//	symbol                     addr, size uint64, name uint32, bind, open byte
//	names                      as in the file
const (
	packedHead    = 3 * 4
	packedSegment = 3*8 + 1
	packedSymbol  = 2*8 + 4 + 2
)

// MarshalBinary returns s as bytes.
func (s *Symbols) MarshalBinary() ([]byte, error) {
	if len(s.strs) > math.MaxUint32 {
		return nil, errTooLarge
	}
	o := binary.LittleEndian
	b := make([]byte, 0, packedHead+packedSegment*len(s.segs)+packedSymbol*len(s.syms)+len(s.strs))
	for _, n := range []int{len(s.segs), len(s.syms), len(s.strs)} {
		b = o.AppendUint32(b, uint32(n))
	}
	for _, g := range s.segs {
		b = append(o.AppendUint64(o.AppendUint64(o.AppendUint64(b, g.Off), g.Size), g.Addr), byte(flag(g.Exec)))
	}
	for _, x := range s.syms {
		b = append(o.AppendUint32(o.AppendUint64(o.AppendUint64(b, x.addr), x.size), x.name), byte(x.bind), byte(flag(x.open)))
	}
	return append(b, s.strs...), nil
}

// UnmarshalBinary sets s to what MarshalBinary has made of another. Whoever has made the bytes is not
// trusted: names are inside, and addresses ascend, or it fails.
func (s *Symbols) UnmarshalBinary(b []byte) error {
	if len(b) < packedHead {
		return errShort
	}
	o := binary.LittleEndian
	segs, syms, strs := uint64(o.Uint32(b)), uint64(o.Uint32(b[4:])), uint64(o.Uint32(b[8:]))
	if b = b[packedHead:]; uint64(len(b)) != segs*packedSegment+syms*packedSymbol+strs {
		return fmt.Errorf("%w: %d bytes of %d symbols", errShort, len(b), syms)
	}
	s.segs, s.syms, s.shown = make([]Segment, segs), make([]symbol, syms), map[int]string{}
	for i := range s.segs {
		s.segs[i] = Segment{o.Uint64(b), o.Uint64(b[8:]), o.Uint64(b[16:]), b[24] != 0}
		b = b[packedSegment:]
	}
	for i := range s.syms {
		x := symbol{addr: o.Uint64(b), size: o.Uint64(b[8:]), name: o.Uint32(b[16:]), bind: elf.SymBind(b[20]), open: b[21] != 0}
		if i > 0 && x.addr < s.syms[i-1].addr {
			return errors.New("symbols do not ascend")
		}
		if uint64(x.name) > strs {
			return errors.New("a name is outside")
		}
		x.dup = i > 0 && x.addr == s.syms[i-1].addr
		s.syms[i] = x
		b = b[packedSymbol:]
	}
	s.strs = bytes.Clone(b)
	return nil
}
