package python

// A mark is what stands for a frame of a Python function in a stack of addresses:
//
//	| 1 | address of the code object, in words of eight bytes: 44 bits | number of the code unit: 19 |
//
// No address of a process has the highest bit. Code objects are aligned to words, and programs for
// x86-64 lie in the lower 47 bits unless they ask for more, which Python does not. A number that
// is too large, or before the first (a frame that has not begun), is NoUnit.
const (
	MarkBit  = 1 << 63
	UnitBits = 19
	NoUnit   = 1<<UnitBits - 1
	AddrBits = 47
)

// IsMark reports whether an address in the stack of a process is a mark.
func IsMark(addr uint64) bool { return addr&MarkBit != 0 }

// Unmark returns the code object of a mark, and which of its code units the frame is at.
func Unmark(mark uint64) (code uint64, unit int) {
	return mark &^ MarkBit >> UnitBits << 3, int(mark & NoUnit)
}
