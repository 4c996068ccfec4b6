package binary

// The opcodes of the programs that lines are packed into (DWARF 5, sections 7.22 and
// 6.2.5).
const (
	opExtended     = 0
	opCopy         = 1
	opAdvancePC    = 2
	opAdvanceLine  = 3
	opSetFile      = 4
	opNegateStmt   = 6
	opConstAddPC   = 8
	opFixedAdvance = 9
	opEndSequence  = 1 // extended, as those below
	opSetAddress   = 2
	opDefineFile   = 3
	mostSpecial    = 255
)

// A lineState is the registers of such a program.
type lineState struct {
	addr uint64
	op   uint64 // of the instruction at addr, where one holds several
	file uint64
	line int64
	stmt bool
}

// advance goes on by n operations.
func (s *lineState) advance(h *lineHead, n uint64) {
	n += s.op
	s.addr += h.minInst * (n / h.maxOps)
	s.op = n % h.maxOps
}

// run runs the program of h and keeps the rows that it makes. After an error those
// before it stay.
func (t *lineTable) run(h *lineHead) error {
	c := h.program
	special := uint64(len(h.operands)) + 1
	begin := lineState{file: 1, line: 1, stmt: h.stmt}
	s := begin
	for c.pos < len(c.b) && c.err == nil {
		if len(t.rows) >= maxRows {
			return errTooLarge
		}
		switch op := uint64(c.u8()); {
		case op >= special:
			op -= special
			s.advance(h, op/h.lineRange)
			s.line += h.lineBase + int64(op%h.lineRange)
			t.add(&s, false)
		case op == opExtended:
			if s.extended(h, &c) {
				t.add(&s, true)
				s = begin
			}
		case op == opCopy:
			t.add(&s, false)
		case op == opAdvancePC:
			s.advance(h, c.uleb())
		case op == opAdvanceLine:
			s.line += c.sleb()
		case op == opSetFile:
			s.file = c.uleb()
		case op == opNegateStmt:
			s.stmt = !s.stmt
		case op == opConstAddPC:
			s.advance(h, (mostSpecial-special)/h.lineRange)
		case op == opFixedAdvance:
			s.addr, s.op = s.addr+uint64(c.u16()), 0
		default: // tells what nobody here asks, such as columns
			for range h.operands[op-1] {
				c.uleb()
			}
		}
	}
	return c.err
}

// extended does what an extended opcode says, and reports whether it ends a sequence.
func (s *lineState) extended(h *lineHead, c *cursor) (end bool) {
	in := cursor{b: c.take(c.uleb()), order: c.order}
	switch in.u8() {
	case opEndSequence:
		return in.err == nil
	case opSetAddress:
		s.addr, s.op = in.uint(len(in.b)-in.pos), 0
	case opDefineFile:
		h.addFile(in.cstring(), &in)
	}
	if in.err != nil {
		c.fail()
	}
	return false
}

// add makes a row of what the registers hold.
func (t *lineTable) add(s *lineState, end bool) {
	file := int32(min(s.file, maxFiles))
	line := int32(min(max(s.line, -1), 1<<30))
	t.rows = append(t.rows, row{s.addr, file, line, s.stmt, end})
}
