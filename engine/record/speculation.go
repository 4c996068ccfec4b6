package record

import (
	"encoding/binary"

	"dscope.dev/dlang/lower"
)

// A Speculation is what a record has to do with speculative tracing.
type Speculation struct {
	Role  lower.SpecRole
	Token uint64 // names the speculation; no other of the run has it
	Begun uint64 // of a commit or discard: how many records the speculation has
	Fired uint64 // of a member: nanoseconds of the kernel's clock
}

// Speculation reads what rec, which was read from a buffer, has to do with
// speculative tracing. What is wrong with a record is left for Decode to say.
func (d *Decoder) Speculation(rec []byte) Speculation {
	if len(rec) < d.head {
		return Speculation{}
	}
	index := binary.LittleEndian.Uint32(rec)
	if uint64(index) >= uint64(len(d.plans)) {
		return Speculation{}
	}
	p := &d.plans[index]
	if p.spec == lower.SpecNone || len(rec) < max(p.size, lower.SpecHeader(d.c.Options)) {
		return Speculation{}
	}
	s := Speculation{Role: p.spec, Token: binary.LittleEndian.Uint64(rec[d.head:])}
	switch {
	case p.spec != lower.SpecMember:
		s.Begun = binary.LittleEndian.Uint64(rec[d.head+8:])
	case d.head >= 16:
		s.Fired = binary.LittleEndian.Uint64(rec[8:])
	default:
		s.Fired = binary.LittleEndian.Uint64(rec[d.head+8:])
	}
	return s
}

// Fired returns the time of a record's firing, in nanoseconds of the kernel's
// clock, if records carry times.
func (d *Decoder) Fired(rec []byte) uint64 {
	if d.head < 16 || len(rec) < 16 {
		return 0
	}
	return binary.LittleEndian.Uint64(rec[8:])
}
