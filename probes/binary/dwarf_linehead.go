package binary

import (
	"bytes"
	"errors"
	"math"
)

// Lines are read here and not by the standard library, which believes the counts of
// directories and files, and joins each file's name with its directory's beforehand: a
// file of a few megabytes could make it take all memory there is.

var errLines = errors.New("the head of the lines makes no sense")

// A lineHead is what the lines of a unit begin with (DWARF 5, section 6.2.4).
type lineHead struct {
	minInst   uint64 // by which addresses advance
	maxOps    uint64 // that one instruction may hold
	stmt      bool   // places are good to stop at unless the program says otherwise
	lineBase  int64  // least that a special opcode advances the line by
	lineRange uint64 // how many such advances there are
	operands  []byte // how many each standard opcode has, from opcode 1
	dirs      []lineFile
	files     []lineFile
	program   cursor
}

// A lineFile is a directory or a file, named in the section's own memory.
type lineFile struct {
	name []byte
	dir  uint32 // of a file: which directory it is in
}

// standardOperands are those of the opcodes that a program can be read with.
var standardOperands = []byte{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}

// lineHead reads the head of the lines at an offset of .debug_line.
func (u *unit) lineHead(off uint64) (*lineHead, error) {
	b := u.d.section(".debug_line")
	if off >= uint64(len(b)) {
		return nil, errShort
	}
	c := cursor{b: b, pos: int(off), order: u.d.order}
	own := *u // with the size of offsets that the lines have
	own.offSize = 4
	length := uint64(c.u32())
	if length == 0xffffffff {
		own.offSize, length = 8, c.u64()
	}
	if c.err != nil || length > uint64(len(b)-c.pos) {
		return nil, errShort
	}
	if err := u.d.spend(int(length/bytesPerWork) + 1); err != nil {
		return nil, err
	}
	c.b = b[:c.pos+int(length)]
	version := c.u16()
	if version == 5 {
		c.take(2) // sizes of addresses and selectors
	}
	size := c.uint(own.offSize)
	if c.err != nil || size > uint64(len(c.b)-c.pos) {
		return nil, errShort
	}
	h := &lineHead{program: c, maxOps: 1}
	h.program.pos += int(size)
	c.b = c.b[:h.program.pos]
	h.minInst = uint64(c.u8())
	if version >= 4 {
		h.maxOps = uint64(c.u8())
	}
	h.stmt = c.u8() != 0
	h.lineBase, h.lineRange = int64(int8(c.u8())), uint64(c.u8())
	h.operands = c.take(uint64(c.u8()) - 1)
	known := min(len(h.operands), len(standardOperands))
	if c.err != nil || h.maxOps == 0 || h.lineRange == 0 || !bytes.Equal(h.operands[:known], standardOperands[:known]) {
		return nil, errLines
	}
	switch version {
	case 2, 3, 4:
		h.readNames(&c)
		return h, c.err
	case 5:
		r := &reader{u: &own, c: c}
		h.dirs, h.files = r.lineFiles(), r.lineFiles()
		return h, r.c.err
	}
	return nil, errLines
}

// readNames reads the lists of versions 2 to 4, which leave out number 0: the unit's
// own directory, and no file.
func (h *lineHead) readNames(c *cursor) {
	h.dirs, h.files = make([]lineFile, 1), make([]lineFile, 1)
	for dir := c.cstring(); len(dir) > 0; dir = c.cstring() {
		if len(h.dirs) == maxFiles {
			c.fail()
			return
		}
		h.dirs = append(h.dirs, lineFile{name: dir})
	}
	for name := c.cstring(); len(name) > 0; name = c.cstring() {
		h.addFile(name, c)
	}
}

// addFile reads what follows the name of a file.
func (h *lineHead) addFile(name []byte, c *cursor) {
	if len(h.files) == maxFiles {
		c.fail()
		return
	}
	dir := c.uleb()
	c.uleb() // when it was written
	c.uleb() // its size
	h.files = append(h.files, lineFile{name, uint32(min(dir, math.MaxUint32))})
}

// What is told of a file (DWARF 5, section 7.22).
const (
	lineName = 1
	lineDir  = 2
)

// lineFiles reads a list of version 5. Each element must take at least a byte.
func (r *reader) lineFiles() []lineFile {
	told := make([]struct{ what, form uint64 }, r.c.u8())
	for i := range told {
		told[i].what, told[i].form = r.c.uleb(), r.c.uleb()
	}
	n := r.c.uleb()
	if r.c.err != nil || n > min(maxFiles, uint64(len(r.c.b)-r.c.pos)) {
		r.c.fail()
		return nil
	}
	list := make([]lineFile, n)
	for i := range list {
		before := r.c.pos
		for _, t := range told {
			v := r.value(uint16(min(t.form, math.MaxUint16)), 0)
			switch t.what {
			case lineName:
				list[i].name = r.u.text(v)
			case lineDir:
				list[i].dir = uint32(min(v.u, math.MaxUint32))
			}
		}
		if r.c.pos == before {
			r.c.fail()
		}
		if r.c.err != nil {
			return nil
		}
	}
	return list
}
