package lower

import (
	"slices"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A Unit is what one eBPF program will serve: sites that share a hook, and the
// clauses that some of them fire, in the order of the script.
type Unit struct {
	Name    string // unique; names the function
	Special string // BEGIN, END, ERROR, or ""
	Sites   []Site // in ascending order of Key
	Clauses []UnitClause
	Derived *check.Derived // how the unit's only site is made of the hook; nil if the hook is the site's own
	Progeny int64          // the process in which the unit fires, and in what descends from it; 0 for all
	Except  []int64        // processes in which the unit does not fire, ascending
	Open    bool           // it stands for probes that are not known yet: nothing must be concluded from the names of its sites
	Jump    uint8          // the jump of x86 on which the unit fires, if it is taken: its condition plus one; 0 is always
	Alone   bool           // no other unit can interrupt this one in the middle on the same CPU and update the same cells
	Timer   bool           // a clock fires it: arg0 is where the kernel was interrupted
	Clock   bool           // and the process that it interrupts has nothing to do with it: tick
	Enough  int            // with so many operations it is left as it is, and how many the whole would have is reckoned; 0 if it is wanted whole
}

// A Site is a probe as lowering sees it.
type Site struct {
	Key                              uint32
	ID                               uint32
	Provider, Module, Function, Name string

	Operands []Operand // of arg0, arg1, …; nil if they lie where the hook puts them
}

// A UnitClause is a clause with those sites of the unit that fire it.
type UnitClause struct {
	Clause *check.Clause
	Keys   ir.KeySet // nil if all sites of the unit fire it
}

// A Target is what lowering must know of the traced machine.
type Target struct {
	linux.Kernel
	ABI  string // amd64 or arm64
	PIDs PIDSpace

	// RoundByRound says that the kernel's verifier follows loops round by round, as
	// it did before Linux 6.9.
	RoundByRound bool

	// Made is given each function that is whole, while others are being made; nil if nobody waits
	// for it.
	Made func(*ir.Func)

	// Seal is what keeps the script to what its asker may see; nil if he may see all.
	Seal *Seal

	// Stopped is asked now and then whether nobody wants the result any more; nil if
	// that cannot be.
	Stopped func() bool
}

// A Result is a lowered script and the meaning of what it records.
type Result struct {
	IR      *ir.Program
	Layouts []Layout    // by index of ir.Program.Records
	Keys    []KeyLayout // by index of ir.Program.Aggs, as far as these are of the script
	Samples []Sample    // of what examples are kept

	// ActionsAt says where an action stands whose number a fault gave, by number of
	// the clause << 8 | number of the action.
	ActionsAt map[int64]token.Span

	// Sizes tell how many operations each unit has, or would have that was left because there were
	// enough. Left is whether there is one: the result is of no other use then.
	Sizes []float64
	Left  bool
}

// Floods reports whether records may fill a buffer while nobody looks. Examples are few,
// however often their probe fires.
func (r *Result) Floods() bool {
	return slices.ContainsFunc(r.Layouts, func(l Layout) bool { return l.Example == 0 })
}

// Shows reports whether the script shows what is encoded in one of some ways.
func (r *Result) Shows(ways ...Encoding) bool {
	one := func(d Datum) bool { return slices.Contains(ways, d.Enc) }
	has := func(d Datum) bool {
		return one(d) || slices.ContainsFunc(d.Forms, func(f Form) bool { return one(f.Datum) })
	}
	for _, layout := range r.Layouts {
		for _, a := range layout.Actions {
			if slices.ContainsFunc(a.Data, has) {
				return true
			}
		}
	}
	return slices.ContainsFunc(r.Keys, func(k KeyLayout) bool { return slices.ContainsFunc(k.Data, has) })
}

// A Layout gives meaning to the bytes of one ir.Record.
type Layout struct {
	Clause  *check.Clause // nil for the record of a fault
	Actions []Action      // in order; empty if the clause records its header alone
	Spec    SpecRole

	// Stamp is where 8 bytes lie that are the same in all records of one firing of
	// the clause, if a loop in it records: then they are parts of one event, of
	// which the last has Last set. It is 0 if this record is all there is.
	Stamp int
	Last  bool

	// Example is the number of the sample, from 1, that this record is an example of: it
	// is no part of what the clause records. 0 if it is none.
	Example int
}

// An Action is one recording action of a clause with its data.
type Action struct {
	Kind ActionKind
	Call *check.Call // the checked call; nil for ActFault
	Data []Datum     // the values recorded, in the order of the arguments
	Flag int         // the offset of the byte that is 1 if the action was reached, else 0; 0 if it always is
}

// An ActionKind is what the reader does with an Action.
type ActionKind uint8

// The actions. Those from ActClear to ActDenormalize act on the aggregations in the
// reader, in the order of the records, as DTrace's consumer does.
const (
	ActTrace       ActionKind = iota // trace(x): one datum
	ActTracemem                      // tracemem(addr, n): one datum of bytes, and perhaps how many are shown
	ActPrintf                        // Call.Format with Data
	ActStack                         // stack(): one datum
	ActUstack                        // ustack(): one datum
	ActSym                           // sym, func, mod, usym, ufunc, umod, uaddr as actions; Call.Fn names it
	ActPrinta                        // Call.Format (or nil) with Call.Aggs
	ActExit                          // one datum: the status
	ActClear                         // Call.Agg, nil for all
	ActTrunc                         // Call.Agg, and perhaps one datum: how many stay
	ActNormalize                     // Call.Agg and one datum
	ActDenormalize                   // Call.Agg
	ActSetopt                        // Call.Option and Call.Value; if Option is "", they are data, strings
	ActFault                         // data: clause (4 bytes; the upper half is the instruction), action (2), kind (2), value (8)
	ActSystem                        // Call.Format with Data: the command
	ActFreopen                       // Call.Format with Data: the name, "" for where the output went at first
	ActNone                          // nothing in the reader: raise(), stop(), chill()
	ActExample                       // what ExampleStratum and those after it name, then the dimensions; from Flag on a byte for each says whether it could be had
	ActCall                          // what the reading of Call.Fn in package record makes of the data, and it alone
)

// A Datum says where a value lies in a record or key, and how to read it.
type Datum struct {
	Off, Size int
	Type      types.Type
	Enc       Encoding
	Part      int    // of EncProbe in a key, where Off is the offset: 0 provider, 1 module, 2 function, 3 name
	Forms     []Form // of EncForms
}

// A Form is one of those that an element of a key takes by turns.
type Form struct {
	Kind check.KeyKind
	Datum
}

// An Encoding is the form of a Datum.
type Encoding uint8

// The encodings.
const (
	EncValue  Encoding = iota // little-endian integer, pointer or enumeration of Size bytes
	EncString                 // characters up to the first zero byte
	EncBytes                  // Size bytes as they are: structs, arrays, tracemem
	EncProbe                  // no bytes at all: a part of the firing probe's name, Off: 0 provider, 1 module, 2 function, 3 name. In a key: 4 bytes, the record's site key and unit<<20, see KeyUnitShift
	EncStack                  // in a record: kernel frames of 8 bytes, innermost first, 0 ends, ir.TracerFrames more than are to be shown; in a key: 8 bytes, a stack number
	EncUstack                 // the same of the process: 8 bytes of process id, then frames; in a key: process id, then a stack number
	EncSym                    // 8 bytes: a kernel address to be shown by name
	EncUsym                   // 16 bytes: process id, then address
	EncForms                  // in a key: 8 bytes that say which of Forms it has here, then room for each; the others are 0
)

// KeyUnitShift is how far the number of the unit is shifted in a key that
// holds a part of a probe's name: unit<<KeyUnitShift | site key.
const KeyUnitShift = 20

// A KeyLayout gives meaning to the encoded key of an aggregation.
type KeyLayout struct {
	Agg  *check.Agg
	Data []Datum // one for each element of the tuple
}
