package python

import (
	"bytes"
	"encoding/binary"

	exe "dscope.dev/probes/binary"
)

// A Layout says where in the structures of a version its fields are, in bytes. The numbers
// are what offsetof gives with the headers of CPython (Include/internal/pycore_runtime.h,
// pycore_frame.h, Include/cpython/pystate.h, code.h, unicodeobject.h).
type Layout struct {
	Key uint32 // _PyRuntimeState: autoTSSkey, an int that says whether it is set, and the key; see key.go

	Current uint32 // PyThreadState: cframe, or current_frame
	CFrame  int32  // _PyCFrame: current_frame; -1 where there is none between

	// _PyInterpreterFrame
	Code, Previous, Instr uint8
	Owner                 uint8
	Shim                  uint8 // the owner of a frame that stands for no function
	Entry                 uint8 // not 0 in the frame that an evaluation began with; 0 if frames have no such field

	// PyCodeObject
	FirstLine, File, Name, LineTable, Bytecode uint32

	// PyASCIIObject and PyCompactUnicodeObject: their sizes, behind which the text is
	ASCII, Compact uint32
}

// FrameSize is how many bytes of a frame are looked at, in all versions.
const FrameSize = 72

// NoOwner is a Shim that no frame has.
const NoOwner = 0xff

// layouts are those of the versions that are understood, as 3.11.7, 3.12.1 and 3.13.0
// have them; the others of a version have the same.
var layouts = map[[2]int]Layout{
	{3, 11}: {Key: 592, Current: 56, CFrame: 8,
		Code: 32, Previous: 48, Instr: 56, Owner: 69, Shim: NoOwner, Entry: 68,
		FirstLine: 72, File: 112, Name: 128, LineTable: 136, Bytecode: 184, ASCII: 48, Compact: 72},
	{3, 12}: {Key: 1544, Current: 56, CFrame: 0,
		Code: 0, Previous: 8, Instr: 56, Owner: 70, Shim: 3,
		FirstLine: 68, File: 112, Name: 128, LineTable: 136, Bytecode: 192, ASCII: 40, Compact: 56},
	{3, 13}: {Key: 2160, Current: 72, CFrame: -1,
		Code: 0, Previous: 8, Instr: 56, Owner: 70, Shim: 3,
		FirstLine: 68, File: 112, Name: 128, LineTable: 136, Bytecode: 200, ASCII: 40, Compact: 56},
}

// The same in all these versions: PyObject, PyVarObject, PyBytesObject, PyASCIIObject.
const (
	objType     = 8
	varSize     = 16
	bytesText   = 32
	textLength  = 16
	textState   = 32
	maxCodeHead = 208 // bytes of a code object before its instructions
)

// layoutOf returns the layout of an interpreter, nil if it is not known.
func layoutOf(in *Interpreter, f *exe.File) *Layout {
	l, ok := layouts[[2]int{in.Major, in.Minor}]
	if !ok || in.Minor >= 13 && !told(in, f, &l) {
		return nil
	}
	return &l
}

// told reports whether an interpreter tells debuggers of its structures what is
// believed of them here. From 3.13 on the runtime begins with what they are
// (_Py_DebugOffsets).
func told(in *Interpreter, f *exe.File, l *Layout) bool {
	const (
		freeThreaded    = 2 // these count words of eight bytes
		threadCurrent   = 23
		framePrevious   = 29
		frameExecutable = 30
		frameInstr      = 31
		frameOwner      = 33
		codeFile        = 35
		codeQualName    = 37
		codeLines       = 38
		codeFirstLine   = 39
		codeBytes       = 43
		words           = 44
	)
	b := make([]byte, 8*words)
	if !readAt(f, in.Runtime, b) || !bytes.Equal(b[:8], []byte("xdebugpy")) {
		return false
	}
	for word, want := range map[int]uint64{
		freeThreaded:    0,
		threadCurrent:   uint64(l.Current),
		framePrevious:   uint64(l.Previous),
		frameExecutable: uint64(l.Code),
		frameInstr:      uint64(l.Instr),
		frameOwner:      uint64(l.Owner),
		codeFile:        uint64(l.File),
		codeQualName:    uint64(l.Name),
		codeLines:       uint64(l.LineTable),
		codeFirstLine:   uint64(l.FirstLine),
		codeBytes:       uint64(l.Bytecode),
	} {
		if binary.LittleEndian.Uint64(b[8*word:]) != want {
			return false
		}
	}
	return true
}
