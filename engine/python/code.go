package python

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// A Function is what a code object says of itself.
type Function struct {
	Name string // qualified: Shop.total
	File string

	head  head
	first int
	lines []line
}

// A line says from which code unit on, up to the next one, which line runs; 0 if none.
type line struct {
	unit uint32
	line int32
}

// A head is what tells a code object from another one at its address later.
type head struct {
	name, file, lines uint64
	first             uint32
}

// Limits on what a process says of its functions.
const (
	maxText  = 512      // characters of a name or a path
	maxLines = 64 << 10 // bytes of a table of lines
)

var errNoCode = errors.New("there is no code object")

// Read reads the code object at an address of a process, whose interpreter's PyCode_Type is
// at codeType.
func (l *Layout) Read(mem io.ReaderAt, codeType, addr uint64) (*Function, error) {
	h, err := l.readHead(mem, codeType, addr)
	if err != nil {
		return nil, err
	}
	f := &Function{head: h, first: int(h.first)}
	if f.Name, err = l.text(mem, h.name); err != nil {
		return nil, err
	}
	if f.File, err = l.text(mem, h.file); err != nil {
		return nil, err
	}
	if table, err := l.bytes(mem, h.lines); err == nil { // without it there is still the first line
		f.lines = readLines(table, f.first)
	}
	return f, nil
}

// Still reports whether the code object at an address is the one that was read: it
// may have been freed, and another one made there.
func (l *Layout) Still(mem io.ReaderAt, codeType, addr uint64, f *Function) bool {
	h, err := l.readHead(mem, codeType, addr)
	return err == nil && h == f.head
}

func (l *Layout) readHead(mem io.ReaderAt, codeType, addr uint64) (h head, err error) {
	var b [maxCodeHead]byte
	if err := read(mem, addr, b[:]); err != nil {
		return h, err
	}
	u64 := func(off uint32) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	if u64(objType) != codeType {
		return h, errNoCode
	}
	return head{u64(l.Name), u64(l.File), u64(l.LineTable), binary.LittleEndian.Uint32(b[l.FirstLine:])}, nil
}

// text reads a str, or as much of its beginning as is kept of one.
func (l *Layout) text(mem io.ReaderAt, addr uint64) (string, error) {
	var b [textState + 4]byte
	if err := read(mem, addr, b[:]); err != nil {
		return "", err
	}
	state := binary.LittleEndian.Uint32(b[textState:]) // interned: 2 bits, kind: 3, compact, ascii
	kind, compact, ascii := int(state>>2&7), state>>5&1 == 1, state>>6&1 == 1
	if !compact || kind != 1 && kind != 2 && kind != 4 {
		return "", errors.New("a string is not as the interpreter makes them")
	}
	at := addr + uint64(l.Compact)
	if ascii {
		at = addr + uint64(l.ASCII)
	}
	data := make([]byte, kind*int(min(binary.LittleEndian.Uint64(b[textLength:]), maxText)))
	if err := read(mem, at, data); err != nil {
		return "", err
	}
	if ascii {
		return string(data), nil
	}
	var out []byte
	for ; len(data) > 0; data = data[kind:] {
		var r uint32
		switch kind {
		case 1:
			r = uint32(data[0])
		case 2:
			r = uint32(binary.LittleEndian.Uint16(data))
		case 4:
			r = min(binary.LittleEndian.Uint32(data), utf8.MaxRune+1)
		}
		out = utf8.AppendRune(out, rune(r))
	}
	return string(out), nil
}

// bytes reads a bytes object that is not too long.
func (l *Layout) bytes(mem io.ReaderAt, addr uint64) ([]byte, error) {
	var b [varSize + 8]byte
	if err := read(mem, addr, b[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint64(b[varSize:])
	if size > maxLines {
		return nil, errors.New("the table of lines is too long")
	}
	data := make([]byte, size)
	return data, read(mem, addr+bytesText, data)
}

// read reads memory of a process.
func read(mem io.ReaderAt, addr uint64, b []byte) error {
	if addr == 0 || addr >= 1<<AddrBits {
		return errNoCode
	}
	if n, err := mem.ReadAt(b, int64(addr)); n < len(b) {
		return cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return nil
}

// Line returns the line that runs a code unit; the first of the function if it is not known.
func (f *Function) Line(unit int) int {
	i, found := slices.BinarySearchFunc(f.lines, uint32(unit), func(l line, u uint32) int { return cmp.Compare(l.unit, u) })
	if !found {
		i--
	}
	if unit == NoUnit || i < 0 || f.lines[i].line <= 0 {
		return f.first
	}
	return int(f.lines[i].line)
}

// Hidden reports whether f is no function that anybody has written, but one of those by which the
// interpreter returns to itself (_Py_InitCleanup, interpreter_trampoline), which Python itself leaves out of stacks.
func (f *Function) Hidden() bool {
	return f.File == "<shim>" || f.File == "__init__" && f.Name == f.File
}

// Size returns about how many bytes f takes.
func (f *Function) Size() int { return 128 + len(f.Name) + len(f.File) + 8*len(f.lines) }
