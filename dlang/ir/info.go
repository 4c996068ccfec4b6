package ir

import "slices"

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
	pure   effect = iota // depends on its arguments alone, or is the same throughout a firing
	reads                // depends on memory that the program can change
	writes               // changes memory or the world: never dropped, never moved
	ends                 // a terminator
)

// An opInfo is what the form knows of an operation.
type opInfo struct {
	name string

	// args has one letter for each argument: w is a word (a task counts as one),
	// p a pointer, t a task, a a word or a pointer. After ? they may be absent;
	// * means any number of words or pointers.
	args string
	typ  Type // of the result; Add, Phi, Param and Call decide for themselves
	eff  effect
	null bool // whether the resulting pointer may be null
	size bool // whether Size means something
	imm  bool // whether Imm means something
	aux  bool // whether Aux means something
}

var infos = [opCount]opInfo{
	OpConst: {name: "const", typ: Word, imm: true},
	OpPhi:   {name: "phi", args: "*"},
	OpParam: {name: "param", imm: true, size: true},
	OpAdd:   {name: "add", args: "aw"},
	OpSub:   {name: "sub", args: "ww", typ: Word},
	OpMul:   {name: "mul", args: "ww", typ: Word},
	OpDivS:  {name: "divs", args: "ww", typ: Word},
	OpDivU:  {name: "divu", args: "ww", typ: Word},
	OpModS:  {name: "mods", args: "ww", typ: Word},
	OpModU:  {name: "modu", args: "ww", typ: Word},
	OpAnd:   {name: "and", args: "ww", typ: Word},
	OpOr:    {name: "or", args: "ww", typ: Word},
	OpXor:   {name: "xor", args: "ww", typ: Word},
	OpShl:   {name: "shl", args: "ww", typ: Word},
	OpShrL:  {name: "shrl", args: "ww", typ: Word},
	OpShrA:  {name: "shra", args: "ww", typ: Word},
	OpNeg:   {name: "neg", args: "w", typ: Word},
	OpNot:   {name: "not", args: "w", typ: Word},
	OpSExt:  {name: "sext", args: "w", typ: Word, size: true},
	OpZExt:  {name: "zext", args: "w", typ: Word, size: true},
	OpEq:    {name: "eq", args: "ww", typ: Word},
	OpNe:    {name: "ne", args: "ww", typ: Word},
	OpLtS:   {name: "lts", args: "ww", typ: Word},
	OpLeS:   {name: "les", args: "ww", typ: Word},
	OpLtU:   {name: "ltu", args: "ww", typ: Word},
	OpLeU:   {name: "leu", args: "ww", typ: Word},
	OpLog2:  {name: "log2", args: "w", typ: Word},
	OpBound: {name: "bound", args: "w", typ: Word, imm: true},

	OpAlloca:    {name: "alloca", typ: Ptr, size: true},
	OpString:    {name: "string", typ: Ptr, size: true, imm: true},
	OpGlobal:    {name: "global", typ: Ptr, imm: true},
	OpLoad:      {name: "load", args: "p", typ: Word, eff: reads, size: true, imm: true},
	OpStore:     {name: "store", args: "pw", eff: writes, size: true, imm: true},
	OpAtomicAdd: {name: "atomicadd", args: "pw", eff: writes, size: true, imm: true},
	OpFetchAdd:  {name: "fetchadd", args: "pw", typ: Word, eff: writes, size: true, imm: true},
	OpCmpXchg:   {name: "cmpxchg", args: "pww", typ: Word, eff: writes, size: true, imm: true},
	OpZero:      {name: "zero", args: "p", eff: writes, size: true, imm: true},
	OpCopy:      {name: "copy", args: "pp", eff: writes, size: true, imm: true},
	OpPtrEq0:    {name: "ptreq0", args: "p", typ: Word},

	OpReadK:    {name: "readk", args: "pa", typ: Word, eff: writes, size: true, imm: true},
	OpReadU:    {name: "readu", args: "pw", typ: Word, eff: writes, size: true, imm: true},
	OpReadStrK: {name: "readstrk", args: "pa", typ: Word, eff: writes, size: true, imm: true},
	OpReadStrU: {name: "readstru", args: "pw", typ: Word, eff: writes, size: true, imm: true},
	OpReadKN:   {name: "readkn", args: "paw", typ: Word, eff: writes, size: true, imm: true},
	OpReadUN:   {name: "readun", args: "pww", typ: Word, eff: writes, size: true, imm: true},
	OpWriteUN:  {name: "writeun", args: "pww", typ: Word, eff: writes, size: true},
	OpWriteU:   {name: "writeu", args: "pw", typ: Word, eff: writes, size: true},

	OpBuiltin:  {name: "builtin", typ: Word, imm: true, aux: true},
	OpKey:      {name: "key", typ: Word},
	OpKeyIn:    {name: "keyin", typ: Word, aux: true},
	OpArg:      {name: "arg", typ: Word, imm: true},
	OpTask:     {name: "task", typ: Task},
	OpTaskLoad: {name: "taskload", args: "t", typ: Word, size: true, imm: true},
	OpProbeStr: {name: "probestr", typ: Ptr, size: true, imm: true},

	OpSelf:     {name: "self", typ: Ptr, eff: writes, null: true, imm: true},
	OpAssocGet: {name: "assocget", args: "p", typ: Ptr, eff: reads, null: true, imm: true},
	OpAssocPut: {name: "assocput", args: "pp", typ: Word, eff: writes, imm: true},
	OpAssocDel: {name: "assocdel", args: "p", eff: writes, imm: true},
	OpAggCell:  {name: "aggcell", args: "?p", typ: Ptr, eff: writes, null: true, imm: true},
	OpStackID:  {name: "stackid", typ: Word, eff: writes, size: true, imm: true},
	OpStack:    {name: "stack", args: "p", typ: Word, eff: writes, size: true, imm: true},

	OpReserve: {name: "reserve", typ: Ptr, eff: writes, null: true, imm: true},
	OpSubmit:  {name: "submit", args: "p", eff: writes},
	OpDiscard: {name: "discard", args: "p", eff: writes},
	OpDrop:    {name: "drop", eff: writes, imm: true},
	OpFault:   {name: "fault", args: "w", eff: writes, imm: true},
	OpStop:    {name: "stop", eff: writes},
	OpSignal:  {name: "signal", args: "w", eff: writes},
	OpClock:   {name: "clock", typ: Word, eff: writes},
	OpChill:   {name: "chill", args: "w", typ: Word, eff: writes, imm: true, aux: true},

	OpMayGo:  {name: "maygo", typ: Word, eff: writes, imm: true},
	OpCall:   {name: "call", args: "*", eff: writes, aux: true},
	OpJump:   {name: "jump", eff: ends},
	OpBranch: {name: "branch", args: "w", eff: ends},
	OpReturn: {name: "return", args: "?w", eff: ends},
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
