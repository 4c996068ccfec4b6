package unwind

import "errors"

// The registers that matter, as DWARF numbers those of x86-64.
const (
	regFP = 6
	regSP = 7
	regRA = 16
)

// A state is what a table has said of one place of a function.
type state struct {
	cfa    rule // how the frame is found
	fp, ra rule // where the caller's registers are
}

// A rule is how a value is found.
type rule struct {
	how  how
	reg  uint64
	off  int64
	expr []byte
}

type how uint8

const (
	same     how = iota // it is still in its register
	offset              // saved, off bytes from the frame
	register            // of the frame: what reg holds plus off
	expr                // by an expression
	none                // there is none: of the return address, that there is no caller
	other               // in a way that is not understood
)

// function turns the table of a function into rows.
func (t *table) function(f fun) error {
	if f.c.signal {
		if err := t.add(f.from, Signal, 0, 0); err != nil {
			return err
		}
		return t.add(f.to, Unknown, 0, 0)
	}
	m := machine{t: t, c: f.c, at: f.from, end: f.to}
	m.now = state{cfa: rule{how: other}, ra: rule{how: offset, off: -8}}
	if err := m.run(f.c.program, true); err != nil {
		return t.add(f.from, Unknown, 0, 0)
	}
	m.first = m.now
	err := m.run(f.program, false)
	switch {
	case err == errRows:
		return err
	case err != nil:
		m.now.cfa = rule{how: other}
	}
	if err := m.row(); err != nil {
		return err
	}
	return t.add(f.to, Unknown, 0, 0)
}

var (
	errRows    = errors.New("read the unwind table: too many rows")
	errProgram = errors.New("an instruction of the unwind table is not known")
)

// A machine follows the instructions of a function's table.
type machine struct {
	t       *table
	c       *cie
	at, end uint64
	now     state
	first   state // after the common instructions
	saved   []state
}

// row notes what holds from where the machine is on.
func (m *machine) row() error {
	if m.at >= m.end {
		return nil
	}
	kind, frame, fp := m.now.row()
	if kind == Unknown && m.stub() {
		kind, frame, fp = Stub, 1, 0
	}
	if m.t.add(m.at, kind, frame, fp) != nil {
		return errRows
	}
	return nil
}

// stub reports whether the machine is in a procedure linkage table, in the part that
// an expression describes.
func (m *machine) stub() bool {
	for _, p := range m.t.plt {
		if p.from <= m.at && m.at < p.to && m.now.cfa.how == expr {
			return true
		}
	}
	return false
}

// row returns what a state says, as far as a Row can.
func (s *state) row() (kind Kind, frame, fp int64) {
	switch s.ra.how {
	case none:
		return End, 0, 0
	case offset:
		if s.ra.off != -8 {
			return Unknown, 0, 0
		}
	default:
		return Unknown, 0, 0
	}
	switch {
	case s.cfa.how == register && s.cfa.reg == regSP:
		kind, frame = FromSP, s.cfa.off
	case s.cfa.how == register && s.cfa.reg == regFP:
		kind, frame = FromFP, s.cfa.off
	case s.cfa.how == expr:
		return s.realigned()
	default:
		return Unknown, 0, 0
	}
	switch s.fp.how {
	case same, none:
	case offset:
		fp = s.fp.off
		if fp == 0 {
			return Unknown, 0, 0
		}
	default:
		return Unknown, 0, 0
	}
	return scaled(kind, frame, fp)
}

// scaled counts in words, if these are whole and few enough.
func scaled(kind Kind, frame, fp int64) (Kind, int64, int64) {
	if frame%8 != 0 || fp%8 != 0 || frame/8 != int64(int16(frame/8)) || fp/8 != int64(int8(fp/8)) {
		return Unknown, 0, 0
	}
	return kind, frame / 8, fp / 8
}

// realigned understands the frames of functions that align their stack: the
// address of the frame was saved, and lies at a distance from the frame pointer:
// DW_OP_breg6 off; DW_OP_deref. The frame pointer was saved where it points.
func (s *state) realigned() (Kind, int64, int64) {
	r := reader{b: s.cfa.expr}
	op, off := r.u8(), r.sleb()
	if op != 0x70+regFP || r.u8() != 0x06 || r.err != nil || r.pos != len(r.b) {
		return Unknown, 0, 0
	}
	f := reader{b: s.fp.expr}
	if s.fp.how != expr || f.u8() != 0x70+regFP || f.sleb() != 0 || f.err != nil || f.pos != len(f.b) {
		return Unknown, 0, 0
	}
	return scaled(Realigned, off, 0)
}

// run follows instructions (DWARF 5, section 6.4.2).
func (m *machine) run(program []byte, common bool) error {
	r := reader{b: program, addr: m.t.addr}
	for r.pos < len(r.b) && r.err == nil {
		op := r.u8()
		switch low := uint64(op & 0x3f); op >> 6 {
		case 1:
			if err := m.advance(low, common); err != nil {
				return err
			}
		case 2:
			m.set(low, rule{how: offset, off: int64(r.uleb()) * m.c.dataAlign})
		case 3:
			m.restore(low)
		default:
			if err := m.long(op, &r, common); err != nil {
				return err
			}
		}
	}
	return r.err
}

// advance goes on by n units of code.
func (m *machine) advance(n uint64, common bool) error {
	if common {
		return errProgram
	}
	if n == 0 {
		return nil
	}
	if err := m.row(); err != nil {
		return err
	}
	m.at += n * m.c.codeAlign
	return nil
}

// set says how a register of the caller is found.
func (m *machine) set(reg uint64, r rule) {
	switch reg {
	case regFP:
		m.now.fp = r
	case regRA:
		m.now.ra = r
	}
}

func (m *machine) restore(reg uint64) {
	switch reg {
	case regFP:
		m.now.fp = m.first.fp
	case regRA:
		m.now.ra = m.first.ra
	}
}

// long follows an instruction that is written in full.
func (m *machine) long(op byte, r *reader, common bool) error {
	switch op {
	case 0x00: // nop
	case 0x01: // set_loc
		at := r.pointer(m.c.pointers)
		if common || m.c.pointers&0x70 != 0 || at < m.at { // the instructions do not know where they lie
			return errProgram
		}
		if err := m.row(); err != nil {
			return err
		}
		m.at = at
	case 0x02, 0x03, 0x04: // advance_loc1, 2, 4
		return m.advance(r.uint(1<<(op-2)), common)
	case 0x05, 0x11, 0x2f: // offset_extended, _sf, GNU_negative_offset_extended
		reg := r.uleb()
		switch op {
		case 0x05:
			m.set(reg, rule{how: offset, off: int64(r.uleb()) * m.c.dataAlign})
		case 0x11:
			m.set(reg, rule{how: offset, off: r.sleb() * m.c.dataAlign})
		default:
			m.set(reg, rule{how: offset, off: -int64(r.uleb()) * m.c.dataAlign})
		}
	case 0x06: // restore_extended
		m.restore(r.uleb())
	case 0x07: // undefined
		m.set(r.uleb(), rule{how: none})
	case 0x08: // same_value
		m.set(r.uleb(), rule{how: same})
	case 0x09: // register
		reg := r.uleb()
		r.uleb()
		m.set(reg, rule{how: other})
	case 0x0a: // remember_state
		if len(m.saved) >= maxSaved {
			return errProgram
		}
		m.saved = append(m.saved, m.now)
	case 0x0b: // restore_state
		if len(m.saved) == 0 {
			return errProgram
		}
		m.now, m.saved = m.saved[len(m.saved)-1], m.saved[:len(m.saved)-1]
	case 0x0c: // def_cfa
		m.now.cfa = rule{how: register, reg: r.uleb(), off: int64(r.uleb())}
	case 0x0d: // def_cfa_register
		m.now.cfa.reg = r.uleb()
	case 0x0e: // def_cfa_offset
		m.now.cfa.off = int64(r.uleb())
	case 0x0f: // def_cfa_expression
		m.now.cfa = rule{how: expr, expr: r.take(r.uleb())}
	case 0x10: // expression
		reg := r.uleb()
		m.set(reg, rule{how: expr, expr: r.take(r.uleb())})
	case 0x12: // def_cfa_sf
		m.now.cfa = rule{how: register, reg: r.uleb(), off: r.sleb() * m.c.dataAlign}
	case 0x13: // def_cfa_offset_sf
		m.now.cfa.off = r.sleb() * m.c.dataAlign
	case 0x14, 0x15: // val_offset, _sf
		reg := r.uleb()
		r.uleb()
		m.set(reg, rule{how: other})
	case 0x16: // val_expression
		reg := r.uleb()
		r.take(r.uleb())
		m.set(reg, rule{how: other})
	case 0x2e: // GNU_args_size
		r.uleb()
	default:
		return errProgram
	}
	return nil
}
