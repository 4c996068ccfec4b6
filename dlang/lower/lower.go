// Package lower turns a checked script into the intermediate form.
//
// It is told how the engine grouped the probes: a Unit is what one eBPF program
// will serve, and becomes one function. In it the clauses stand one after
// another, in the order of the script; each is guarded by its probes and its
// predicate, and ends where the next one begins. A fault leaves the clause in
// which it happens and no other.
//
// Lowering chooses how things are represented, and nothing else:
//
//   - Scalars are words. Variables, members and casts extend them as their type
//     says; what is computed has 64 bits, as D has it (word.go).
//   - Strings are described before they are made: a constant, the name of the
//     process, a part of the probe's name, something to be read from an address,
//     or bytes in memory. So execname == "dd" is two comparisons of words, a
//     copyinstr() is read right into the record or key that wants it, and
//     probefunc costs nothing where it is only recorded (str.go).
//   - Places are described too: memory of the script, the task_struct, kernel
//     or user memory; reading one knows whether it can fail (place.go).
//   - Structs, unions and arrays are never held, only named by their places, and
//     copied from one to another (object.go, bits.go). A variable whose address
//     the script takes has one that no machine knows, and following it finds the
//     variable again (addressed.go).
//   - Strings may be NULL: those of threads and arrays are until they are
//     assigned (null.go, nullvar.go).
//   - this-> variables are working memory that passes turn into values; self->
//     variables share one cell, with arrays by tid (thread.go); globals are addressed
//     directly; associative arrays and aggregations have encoded keys (var.go, key.go, agg.go).
//     Aggregations that are always updated together share cells (join.go). Where
//     the kernel's limits are too low for the aggregations of a script, they share
//     tables, or their cells lie in parts (pool.go).
//   - Loops that are short are made as their rounds (unroll.go).
//
// The code is simple on purpose: it repeats itself where the script does.
// Package ir's passes find what is computed twice.
//
// What the checker lets through and lowering does not know is refused with a
// diagnostic; nothing is guessed.
package lower

import (
	"fmt"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Lower makes the intermediate form of p for units, and says what its records
// and keys mean. The result is not optimised, but complete only if the list has
// no error.
func Lower(p *check.Program, units []Unit, target Target, opts ir.Options) (res *Result, list diag.List) {
	l := newLowerer(p, target, opts)
	defer l.recovered(&list)
	l.begin(units)
	for i := range units {
		l.unit(i, &units[i])
	}
	l.link()
	l.list.Sort()
	return l.res, l.list
}

// recovered makes a complaint of a panic, at the statement that was being lowered.
func (l *lowerer) recovered(list *diag.List) {
	if why := recover(); why != nil {
		var at token.Span
		if l.now != nil {
			at = l.now.At
		}
		*list = append(l.list, diag.Mishap("lowering", at, why))
	}
}

// newLowerer returns what lowers p.
func newLowerer(p *check.Program, target Target, opts ir.Options) *lowerer {
	out := &ir.Program{Options: opts}
	return &lowerer{
		prog:    p,
		target:  target,
		opts:    opts,
		out:     out,
		strings: map[string]int64{},
		vars:    map[*check.Var]int64{},
		subs:    map[string]bool{},
		offsets: map[string]int{},
		tuples:  map[check.Ref]*tuple{},
		faults:  map[int]bool{},
		hooks:   newHooks(),

		sampleOf: map[*check.AggAssign]int{},
		specEnds: map[specEnd]int{},
		refused:  refusals{},
		res:      &Result{IR: out, ActionsAt: map[int64]token.Span{}},
	}
}

// A lowerer holds what the functions of one script share.
type lowerer struct {
	prog   *check.Program
	target Target
	opts   ir.Options
	out    *ir.Program
	res    *Result
	hooks  *hooks
	list   diag.List

	strings    map[string]int64     // index in out.Strings
	vars       map[*check.Var]int64 // index in out.Vars; this-> variables are not in it
	subs       map[string]bool      // subroutines of the runtime that are called
	offsets    map[string]int       // of members of kernel structs, by their words in the runtime
	tuples     map[check.Ref]*tuple // of each associative array and aggregation
	calls      int64                // calls of rand() and questions for "stopped" so far
	faults     map[int]bool         // units that have a layout for the records of faults
	now        *ir.Builder          // of the unit that is being lowered
	earlier    int                  // operations of the units before
	given      bool                 // whether lowering was given up: see budget.go
	errorExits bool                 // whether a clause of ERROR calls exit()

	addressedVars []*check.Var             // variables whose address the script takes
	addressed     map[*check.Var]int64     // that address
	allocates     bool                     // whether the script calls alloca() or copyin()
	keeps         bool                     // whether clauses read what a clause before was given by those
	measured      bool                     // whether it copies as many bytes as are known only at the firing
	nullVars      map[*check.Var]bool      // global and this-> strings that may be NULL
	threads       map[*check.Var]bool      // arrays whose elements lie in the cells of threads: see thread.go
	lasting       map[*check.Var]bool      // arrays whose elements are never given back: see lasting.go
	specVar       int                      // index of the table of speculations in out.Vars, if the script has one
	refused       refusals                 // places at which the seal has been told of
	sampleOf      map[*check.AggAssign]int // numbers of samples, from 1
	specEnds      map[specEnd]int          // layouts of the records that end speculations
}

// A fn is the function of a unit being made. What holds for one clause of it, for the record
// of that and for a spot in it begins anew, or is put back, as a whole.
type fn struct {
	*lowerer
	*ir.Builder
	unit     *Unit
	index    int // of unit
	locals   map[*check.Var]*ir.Value
	cells    map[int]*ir.Value // of aggregations, by their numbers, that the last statement found which updates them
	scratch  scratch
	temps    temporaries
	tok      *ir.Value // the string of strtok(); nil if it is not called
	unsealed int       // > 0 while code of our own is made, which the seal does not concern
	clauseBuilder
}

// A clauseBuilder is a clause being made.
type clauseBuilder struct {
	clause  *check.Clause
	inHook  bool              // whether args[] and arg0 are those of the hook, and not of the probe made of it
	args    map[int]*ir.Value // arguments of a derived probe that the clause has computed
	action  int               // number of the action being lowered; 0 is the predicate
	end     *ir.Block         // where the clause ends
	whole   *frame            // the clause, if not all of its statements need run
	stopped bool              // whether the clause has called exit()
	stop    *ir.Value         // memory that holds 1 once exit() was called, if not all of its statements need run
	fired   *ir.Value         // the stamp of the clause's records if it leaves several, because a loop records; else nil
	spec    *specUse          // once the clause has called speculate()
	recordBuilder
	spot
}

// A recordBuilder is a record being made.
type recordBuilder struct {
	rec    *ir.Value   // where it is; nil if nothing is recorded now
	record int         // index of its layout
	opened *openRecord // what is known of it, if the clause's statements share it
}

// A spot is what holds for the statement being lowered, and is other behind it.
type spot struct {
	region   *region              // reached or not while the record is open; nil if it is whenever there is a record
	frame    *frame               // the function being expanded, or the clause
	nested   int                  // how many ifs, loops and functions are around it
	calling  int                  // how many calls of functions are around it
	around   *around              // the innermost loop; nil outside of one
	counters map[*check.Var]int64 // of the loops that are being unrolled, in this round
	clocks   map[string]*ir.Value // what was read of the clocks before the outermost loop; nil outside of one
	other    *ir.Block            // where the clause goes on instead of a fault; nil if a fault ends it
}

// errorf complains about n and returns a word to go on with.
func (f *fn) errorf(n ast.Node, format string, args ...any) *ir.Value {
	f.list.Add(n.Span(), diag.Unsupported, "%s", fmt.Sprintf(format, args...))
	return f.Const(0)
}

// untold complains that this kernel does not tell where it keeps what n needs.
func (f *fn) untold(n ast.Node, format string, args ...any) *ir.Value {
	f.list.Add(n.Span(), diag.Unsupported, "this kernel does not tell where "+format, args...).Cause = diag.NoTypes
	return f.Const(0)
}

// typeOf returns the type that the checker gave x.
func (l *lowerer) typeOf(x ast.Expr) types.Type {
	if t := l.prog.Types[x]; t != nil {
		return t
	}
	return types.Bad
}

// strSize returns the bytes of memory for a full-length string, a multiple of 8.
// Whatever makes a string ends it within the first strLimit of them.
func (l *lowerer) strSize() int { return round8(l.opts.StrSize) }

// strLimit returns the most bytes of a string, its terminator included.
func (l *lowerer) strLimit() int { return l.opts.StrSize }

func round8(n int) int { return (n + 7) &^ 7 }
