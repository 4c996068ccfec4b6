package ir

// NoStack is what OpStackID gives where there is no stack of the kind: an empty
// one, and no loss. It is the kernel's -EFAULT (kernel/bpf/stackmap.c).
const NoStack = -14

// An Op is what a Value does. In the comments a, b, … are Args, and "word" is a
// 64-bit result, "ptr" a pointer to memory whose extent is known.
type Op uint8

// The operations.
const (
	OpInvalid Op = iota

	// Words.
	OpConst // word: Imm
	OpPhi   // word or ptr: one argument for each of Block.Preds
	OpParam // word or ptr: the Imm-th parameter; Size > 0: a ptr to Size bytes
	OpAdd   // word or ptr: a + b; of a ptr: ptr a moved by word b, which must be bounded (OpBound)
	OpSub
	OpMul
	OpDivS // signed; b must not be 0: lowering has branched
	OpDivU
	OpModS // has the sign of a, as in C
	OpModU
	OpAnd
	OpOr
	OpXor
	OpShl // shift counts are taken modulo 64
	OpShrL
	OpShrA
	OpNeg
	OpNot  // bitwise complement
	OpSExt // word: the low Size bytes of a (1, 2, 4), sign-extended
	OpZExt // word: the low Size bytes of a, zero-extended
	OpEq   // word: 1 or 0
	OpNe
	OpLtS
	OpLeS
	OpLtU
	OpLeU
	OpLog2  // word: floor(log2 a) of a > 0, unsigned: 0…63
	OpBound // word: a if a < Imm (unsigned), else Imm-1; the verifier then knows the bound

	// Memory that the program owns.
	OpAlloca    // ptr: Size bytes of working memory for this firing, aligned to 8, undefined content; only in the entry block
	OpString    // ptr: Strings[Imm]; Size is its bytes with the terminator
	OpGlobal    // ptr: Vars[Imm]
	OpLoad      // word: Size bytes (1, 2, 4, 8) at ptr a + Imm, zero-extended
	OpStore     // Size bytes of word b at ptr a + Imm
	OpAtomicAdd // Size (4, 8) bytes at ptr a + Imm += word b, without tearing
	OpFetchAdd  // word: the 8 bytes at ptr a + Imm as they were; they become that + word b, in one step
	OpCmpXchg   // word: what the 8 bytes at ptr a + Imm held; if that is word b, they become word c, without tearing
	OpZero      // clears Size bytes at ptr a + Imm; multiple of 8, aligned
	OpCopy      // copies Size bytes to ptr a from ptr b; Imm is the offset in a; multiple of 8, aligned
	OpPtrEq0    // word: 1 if ptr a is null: results of OpSelf, OpAssocGet, OpAggCell, OpReserve must be tested before use

	// Memory that the program does not own. The result is a status: 0, or not 0 if
	// the address was bad, in which case the buffer is cleared. Argument a is where
	// to, b where from: a word that is an address, or, for the kernel's forms, also
	// a pointer to memory of the program.
	OpReadK    // word: Size bytes from kernel address b to ptr a + Imm
	OpReadU    // word: Size bytes from user address b to ptr a + Imm
	OpReadStrK // word: a string of at most Size bytes with its terminator from kernel address (or ptr) b to ptr a + Imm; the bytes stored with the terminator (≥ 1), or negative
	OpReadStrU // the same from user address b
	OpReadKN   // as OpReadK with the size in word c ≤ Size
	OpReadUN   // as OpReadU with the size in word c ≤ Size
	OpWriteUN  // word: the first bytes at ptr a, as many as word c says, at least 1 and at most Size, to user address b
	OpWriteU   // word: Size bytes from ptr a to user address b

	// Facts of the firing. Pure: computed once, the same throughout.
	OpBuiltin  // word: Aux Sym names it, see Builtins; some take Imm
	OpKey      // word: the key of the site that fired
	OpKeyIn    // word: 1 if the key is in the Aux KeySet
	OpArg      // word: raw argument Imm
	OpTask     // task: the current task_struct, which can be read without fault; used as a word it is its address
	OpTaskLoad // word: Size bytes at offset Imm of task a, zero-extended
	OpProbeStr // ptr: a part of the firing probe's description, Imm: 0 provider … 3 name; Size bytes, zero from the terminator on

	// Variables and aggregations.
	OpSelf     // ptr or null: the cell of the thread; Imm 1 makes it if there is none
	OpAssocGet // ptr or null: the value of Vars[Imm] at the key in ptr a
	OpAssocPut // word: status; value in ptr b. Of a variable that lasts only if the key is not there
	OpAssocDel // removes the key in ptr a
	OpAggCell  // ptr or null: the cell of this CPU of Aggs[Imm] for the key in ptr a (no argument if it has none), made and cleared if absent
	OpStackID  // word: number of the kernel (Imm 0) or user (Imm 1) stack, at most Size frames; NoStack if there is none, another negative if it could not be kept
	OpStack    // word: status; Size bytes of frames (8 each, innermost first, 0 ends) of the kernel (Imm 0) or user (Imm 1) stack to ptr a

	// Records.
	OpReserve // ptr or null: room for Records[Imm] in the buffer of this CPU, its header written
	OpSubmit  // hands the record in ptr a to the reader
	OpDiscard // takes it back
	OpDrop    // counts a drop: Imm is the number of a trace.DropKind, and may name an aggregation besides, see DropOf
	OpFault   // reports an ERROR firing: Imm is clause<<16 | action<<8 | kind, with fewer than 65,536 clauses as check.Clause.First counts them, word a the address or value
	OpStop    // no probe fires from here on but END and ERROR: exit() was called
	OpSignal  // sends signal word a to the process that fired the probe
	OpClock   // word: nanoseconds of the monotonic clock, read here
	OpChill   // word: spins for word a nanoseconds and gives 0, or gives 1 at once if Imm nanoseconds in a second of this CPU would be exceeded; Aux Sym is the subroutine that tells whether it is over

	// Loops, calls and terminators.
	OpMayGo  // word: 1 if a loop may go round once more; 0, which takes millions of rounds, must leave it. Imm is the most rounds of the loop. Only a branch of its block may use it
	OpCall   // subroutine Aux Sym of Args; a word if Imm is 1, else nothing
	OpJump   // to Succs[0]
	OpBranch // to Succs[0] if word a is not 0, else to Succs[1]
	OpReturn // ends the function; word a is its result if it has one

	opCount
)
