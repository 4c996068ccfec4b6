package probes

// An Operand says how the value of an argument is worked out from the saved
// registers at the moment when the probe fires. The compiler of the program that
// is traced left it wherever it happened to be, and wrote down where: for most a
// register or a cell of the stack.
//
// A Slot is taken as it is; what an operand says is worked out only where a
// script asks for it, and reading memory can fail as any other access does.
type Operand struct {
	Kind   OperandKind
	Size   uint8 // bytes of the value: 1, 2, 4 or 8
	Signed bool

	// An address is Base + Index<<Shift + Disp, and the address of the probed
	// instruction besides if PC is set.
	Base, Index Register
	Shift       uint8
	PC          bool
	Disp        int64

	// Float says that the value is a floating-point number, whose bits are no number of
	// D: scripts have it by its typed argument.
	Float bool

	// Kernel says that Memory is the kernel's and not the process's.
	Kernel bool

	// Try says that Memory which cannot be read counts as 0 and is no fault.
	Try bool

	Why string // of Refused: why it cannot be had
}

// An OperandKind is what is done with what the other members name.
type OperandKind uint8

// The kinds of operands.
const (
	// InSlot operands lie where the table at the end of this package says.
	InSlot OperandKind = iota

	// Value operands are the sum itself: a constant, a register, an address.
	Value

	// Memory operands lie in the process's memory at that address.
	Memory

	// Refused operands cannot be had.
	Refused
)

// A Register is a part of struct pt_regs. The zero Register is none, and counts
// as 0.
type Register struct {
	Word   uint8 // which word of struct pt_regs it is
	Size   uint8 // bytes that count: 1, 2, 4 or 8; 0 if there is no register
	High   bool  // whether it is the second byte of the word, as %ah is
	Signed bool  // whether its sign is carried on to 64 bits
}
