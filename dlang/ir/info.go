package ir

import (
	"iter"
	"slices"
)

// A Type is the kind of result that a value has.
type Type uint8

// The types of values.
const (
	None Type = iota // no result
	Word             // 64 bits
	Ptr              // a pointer to memory whose extent is known
	Task             // the current task_struct; as a word, its address
)

// An effect says what an operation has to do with the rest of the world.
type effect uint8

const (
	_      effect = iota // not said: TestOps complains
	pure                 // depends on its arguments alone, or is the same throughout a firing
	reads                // depends on memory that the program can change
	stores               // changes the memory that its arguments point to, as does says, and nothing else
	makes                // adds to the world, and changes no memory that was there before
	acts                 // changes memory that outlives the firing, or the world
	ends                 // a terminator
)

// A target says where a pointer leads that an operation results in.
type target uint8

const (
	nowhere target = iota // it results in no pointer
	fresh                 // to memory that no other value leads to
	named                 // to what Imm names: the same from all that name it
	only                  // to the one that there is, whatever Imm says
	among                 // to one of those that Imm names, which may be the same
	unknown               // it came from elsewhere
)

// An immKind says what Imm means.
type immKind uint8

const (
	noImm  immKind = iota
	plain          // what the operation takes it for
	offset         // the distance from the pointer that is the first argument
)

// A sizes says what Size may be.
type sizes uint8

const (
	noSize  sizes = iota
	anySize       // what the operation takes it for
	part          // 1, 2, 4: a part of a word
	scalar        // 1, 2, 4, 8
	counter       // 4, 8
	whole         // 8
	words         // a multiple of 8, as an offset is
)

// An opInfo is what the form knows of an operation. What a pass must know of each is
// a column here, not a list of operations there: TestOps tells what is missing in a row.
type opInfo struct {
	name string

	// args has one letter for each argument: w is a word (a task counts as one),
	// p a pointer, t a task, a a word or a pointer. After ? they may be absent;
	// * means any number of words or pointers.
	args string

	// does has one letter for each argument, too: what becomes of the memory that it
	// points to. Size bytes of it are read (r), written (w) or both (u), or who knows
	// how many are read (a), or read and written (x); - is nothing.
	does string

	typ  Type // of the result; Add, Phi, Param and Call decide for themselves
	eff  effect
	to   target  // of the resulting pointer
	null bool    // whether the resulting pointer may be null
	size sizes   // what Size may be
	imm  immKind // what Imm means
	aux  bool    // whether Aux means something
	bits int     // how many of the low bits of the result may be set; 0 if that depends on more than the operation

	commutes bool // whether two arguments may be exchanged, of which neither is a pointer
	compares bool // whether it compares two words
	site     bool // whether it depends on which site fired
}

var infos = [opCount]opInfo{
	OpConst: {name: "const", typ: Word, eff: pure, imm: plain},
	OpPhi:   {name: "phi", args: "*", does: "-", eff: pure, to: unknown},
	OpParam: {name: "param", eff: pure, to: unknown, size: anySize, imm: plain},
	OpAdd:   {name: "add", args: "aw", does: "--", eff: pure, to: unknown, commutes: true},
	OpSub:   {name: "sub", args: "ww", does: "--", typ: Word, eff: pure},
	OpMul:   {name: "mul", args: "ww", does: "--", typ: Word, eff: pure, commutes: true},
	OpDivS:  {name: "divs", args: "ww", does: "--", typ: Word, eff: pure},
	OpDivU:  {name: "divu", args: "ww", does: "--", typ: Word, eff: pure},
	OpModS:  {name: "mods", args: "ww", does: "--", typ: Word, eff: pure},
	OpModU:  {name: "modu", args: "ww", does: "--", typ: Word, eff: pure},
	OpAnd:   {name: "and", args: "ww", does: "--", typ: Word, eff: pure, commutes: true},
	OpOr:    {name: "or", args: "ww", does: "--", typ: Word, eff: pure, commutes: true},
	OpXor:   {name: "xor", args: "ww", does: "--", typ: Word, eff: pure, commutes: true},
	OpShl:   {name: "shl", args: "ww", does: "--", typ: Word, eff: pure},
	OpShrL:  {name: "shrl", args: "ww", does: "--", typ: Word, eff: pure},
	OpShrA:  {name: "shra", args: "ww", does: "--", typ: Word, eff: pure},
	OpNeg:   {name: "neg", args: "w", does: "-", typ: Word, eff: pure},
	OpNot:   {name: "not", args: "w", does: "-", typ: Word, eff: pure},
	OpSExt:  {name: "sext", args: "w", does: "-", typ: Word, eff: pure, size: part},
	OpZExt:  {name: "zext", args: "w", does: "-", typ: Word, eff: pure, size: part},
	OpEq:    {name: "eq", args: "ww", does: "--", typ: Word, eff: pure, bits: 1, commutes: true, compares: true},
	OpNe:    {name: "ne", args: "ww", does: "--", typ: Word, eff: pure, bits: 1, commutes: true, compares: true},
	OpLtS:   {name: "lts", args: "ww", does: "--", typ: Word, eff: pure, bits: 1, compares: true},
	OpLeS:   {name: "les", args: "ww", does: "--", typ: Word, eff: pure, bits: 1, compares: true},
	OpLtU:   {name: "ltu", args: "ww", does: "--", typ: Word, eff: pure, bits: 1, compares: true},
	OpLeU:   {name: "leu", args: "ww", does: "--", typ: Word, eff: pure, bits: 1, compares: true},
	OpLog2:  {name: "log2", args: "w", does: "-", typ: Word, eff: pure, bits: 6},
	OpBound: {name: "bound", args: "w", does: "-", typ: Word, eff: pure, imm: plain},

	OpAlloca:    {name: "alloca", typ: Ptr, eff: pure, to: fresh, size: words},
	OpString:    {name: "string", typ: Ptr, eff: pure, to: fresh, size: anySize, imm: plain},
	OpGlobal:    {name: "global", typ: Ptr, eff: pure, to: named, imm: plain},
	OpLoad:      {name: "load", args: "p", does: "r", typ: Word, eff: reads, size: scalar, imm: offset},
	OpStore:     {name: "store", args: "pw", does: "w-", eff: stores, size: scalar, imm: offset},
	OpAtomicAdd: {name: "atomicadd", args: "pw", does: "u-", eff: stores, size: counter, imm: offset},
	OpFetchAdd:  {name: "fetchadd", args: "pw", does: "u-", typ: Word, eff: stores, size: whole, imm: offset},
	OpCmpXchg:   {name: "cmpxchg", args: "pww", does: "u--", typ: Word, eff: stores, size: whole, imm: offset},
	OpZero:      {name: "zero", args: "p", does: "w", eff: stores, size: words, imm: offset},
	OpCopy:      {name: "copy", args: "pp", does: "wr", eff: stores, size: words, imm: offset},
	OpPtrEq0:    {name: "ptreq0", args: "p", does: "-", typ: Word, eff: pure, bits: 1},

	OpReadK:    {name: "readk", args: "pa", does: "wa", typ: Word, eff: stores, size: anySize, imm: offset},
	OpReadU:    {name: "readu", args: "pw", does: "w-", typ: Word, eff: stores, size: anySize, imm: offset},
	OpReadStrK: {name: "readstrk", args: "pa", does: "wa", typ: Word, eff: stores, size: anySize, imm: offset},
	OpReadStrU: {name: "readstru", args: "pw", does: "w-", typ: Word, eff: stores, size: anySize, imm: offset},
	OpReadKN:   {name: "readkn", args: "paw", does: "wa-", typ: Word, eff: stores, size: anySize, imm: offset},
	OpReadUN:   {name: "readun", args: "pww", does: "w--", typ: Word, eff: stores, size: anySize, imm: offset},
	OpWriteUN:  {name: "writeun", args: "pww", does: "a--", typ: Word, eff: acts, size: anySize},
	OpWriteU:   {name: "writeu", args: "pw", does: "a-", typ: Word, eff: acts, size: anySize},

	OpBuiltin:  {name: "builtin", typ: Word, eff: pure, imm: plain, aux: true},
	OpKey:      {name: "key", typ: Word, eff: pure, bits: 32, site: true},
	OpKeyIn:    {name: "keyin", typ: Word, eff: pure, aux: true, bits: 1, site: true},
	OpArg:      {name: "arg", typ: Word, eff: pure, imm: plain},
	OpTask:     {name: "task", typ: Task, eff: pure},
	OpTaskLoad: {name: "taskload", args: "t", does: "-", typ: Word, eff: pure, size: scalar, imm: plain},
	OpProbeStr: {name: "probestr", typ: Ptr, eff: pure, to: fresh, size: anySize, imm: plain, site: true},

	OpSelf:     {name: "self", typ: Ptr, eff: makes, to: only, null: true, imm: plain},
	OpAssocGet: {name: "assocget", args: "p", does: "a", typ: Ptr, eff: reads, to: among, null: true, imm: plain},
	OpAssocPut: {name: "assocput", args: "pp", does: "aa", typ: Word, eff: acts, imm: plain},
	OpAssocDel: {name: "assocdel", args: "p", does: "a", eff: acts, imm: plain},
	OpAggCell:  {name: "aggcell", args: "?p", does: "a", typ: Ptr, eff: makes, to: among, null: true, imm: plain},
	OpStackID:  {name: "stackid", typ: Word, eff: makes, size: anySize, imm: plain},
	OpStack:    {name: "stack", args: "p", does: "w", typ: Word, eff: stores, size: anySize, imm: plain},

	OpReserve: {name: "reserve", typ: Ptr, eff: makes, to: fresh, null: true, imm: plain, site: true},
	OpSubmit:  {name: "submit", args: "p", does: "a", eff: acts},
	OpDiscard: {name: "discard", args: "p", does: "a", eff: acts},
	OpDrop:    {name: "drop", eff: makes, imm: plain},
	OpFault:   {name: "fault", args: "w", does: "-", eff: acts, imm: plain, site: true},
	OpStop:    {name: "stop", eff: acts},
	OpSignal:  {name: "signal", args: "w", does: "-", eff: acts},
	OpClock:   {name: "clock", typ: Word, eff: acts},
	OpChill:   {name: "chill", args: "w", does: "-", typ: Word, eff: acts, imm: plain, aux: true},

	OpMayGo:  {name: "maygo", typ: Word, eff: makes, imm: plain},
	OpCall:   {name: "call", args: "*", does: "x", eff: acts, aux: true},
	OpJump:   {name: "jump", eff: ends},
	OpBranch: {name: "branch", args: "w", does: "-", eff: ends},
	OpReturn: {name: "return", args: "?w", does: "-", eff: ends},
}

// Ops yields all operations.
func Ops() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for o := OpInvalid + 1; o < opCount && yield(o); o++ {
		}
	}
}

// String returns the word for o in the text form.
func (o Op) String() string {
	if o == OpInvalid || o >= opCount {
		return "invalid"
	}
	return infos[o].name
}

// IsTerminator reports whether o ends a block.
func (o Op) IsTerminator() bool { return infos[o].eff == ends }

// IsPure reports whether a value of o depends on its arguments alone, or is
// the same throughout a firing.
func (o Op) IsPure() bool { return infos[o].eff == pure }

// Commutes reports whether two arguments of o may be exchanged, neither of which
// is a pointer.
func (o Op) Commutes() bool { return infos[o].commutes }

// Compares reports whether o compares two words.
func (o Op) Compares() bool { return infos[o].compares }

// AsksSite reports whether what o does depends on which site fired.
func (o Op) AsksSite() bool { return infos[o].site }

// Bits returns how many of the low bits of what o gives may be set, or 0 if that
// depends on more than o.
func (o Op) Bits() int { return infos[o].bits }

// overwrites reports whether o replaces the memory that its first argument points
// to, and does nothing besides.
func (o Op) overwrites() bool {
	i := infos[o]
	return i.typ == None && i.eff == stores && i.does[0] == 'w'
}

// MayBeNull reports whether the pointer that o gives must be tested.
func (o Op) MayBeNull() bool { return infos[o].null }

// Type returns what v results in.
func (v *Value) Type() Type {
	switch v.Op {
	case OpParam:
		if v.Size > 0 {
			return Ptr
		}
		return Word
	case OpAdd, OpPhi:
		return v.derived()
	case OpCall:
		if v.Imm != 0 {
			return Word
		}
		return None
	}
	return infos[v.Op].typ
}

// derived finds the type of a sum or phi, which is that of what it is made
// from, looking through loops.
func (v *Value) derived() Type {
	if v.Op == OpAdd && len(v.Args) > 0 && v.Args[0].Op != OpAdd && v.Args[0].Op != OpPhi {
		return addable(v.Args[0].Type())
	}
	if v.Op == OpPhi {
		for _, a := range v.Args {
			if a != nil && a.Op != OpAdd && a.Op != OpPhi {
				return addable(a.Type())
			}
		}
	}
	seen := map[*Value]bool{}
	var isPtr func(v *Value) bool
	isPtr = func(v *Value) bool {
		switch {
		case v == nil || seen[v]:
			return false
		case v.Op == OpAdd:
			seen[v] = true
			return len(v.Args) > 0 && isPtr(v.Args[0])
		case v.Op == OpPhi:
			seen[v] = true
			return slices.ContainsFunc(v.Args, isPtr)
		}
		return v.Type() == Ptr
	}
	if isPtr(v) {
		return Ptr
	}
	return Word
}

// addable is what t is as part of a sum or phi: a pointer or a word.
func addable(t Type) Type {
	if t == Ptr {
		return Ptr
	}
	return Word
}
