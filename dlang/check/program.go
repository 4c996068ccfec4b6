package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A Program is a checked script: the tree, and what every part of it means.
// It is complete only if the check found no error.
type Program struct {
	File    *token.File
	Script  *ast.Script // as it is written
	Chosen  *ast.Script // the same where each constant ?: is its one arm: what the rest is about
	Clauses []*Clause
	Vars    []*Var   // in order of first appearance
	Aggs    []*Agg   // in order of first appearance
	Funcs   []*Func  // in order of the script
	Options []Option // from #pragma D option, in order

	// Means says what names stand for: who asks what a part of the script does goes by it.
	Means ast.Meanings

	// Types gives the type of every expression, void where it has no value. The
	// type of an operator's result is the type that it is computed in, to which
	// integer operands convert; comparisons compute in types.Common of theirs.
	Types map[ast.Expr]types.Type

	// Consts gives the value of every integer expression that the checker
	// could fold, sign-extended to 64 bits according to its type.
	Consts map[ast.Expr]int64

	// Strings gives the value of every string constant, macros included.
	Strings map[ast.Expr]string

	// Nulls marks those of Strings that are NULL: the constant 0 where a string is
	// due. Its value then is "".
	Nulls map[ast.Expr]bool

	// Refs says what a name stands for: of *ast.Ident, *ast.Var, *ast.KSym,
	// *ast.Macro and *ast.AggRef, and of an *ast.Index of an associative array
	// (also where its base stands), of args[] or of uregs[]. The name of a constant
	// has no Ref but is in Consts or Strings.
	Refs map[ast.Expr]Ref

	// Calls says which function is called and holds what was prepared for it.
	Calls map[*ast.Call]*Call

	// AggAssigns says what an @a[k] = f(x) does.
	AggAssigns map[*ast.AggAssign]*AggAssign

	// Locals gives the variable of a declarator in a block, and Loops what is known
	// of a loop.
	Locals map[*ast.Declarator]*Var
	Loops  map[ast.Stmt]*Loop

	// Members gives the resolved member of an *ast.Member.
	Members map[*ast.Member]types.Field

	// Derived says how a probe is made of a hook, by Derivation.ID.
	Derived map[any]*Derived

	providers map[string]Provided // whose promises a pragma has changed
	tables    *tables             // which hold some of these
}

// A Clause is one clause with the probes that it enables.
type Clause struct {
	AST        *ast.Clause
	Index      int        // from 0, in the order of the script
	First      int        // number of its first probe description in the script, from 0: DTrace counts a clause for each
	Probes     []ProbeSet // one for each description
	Args       []Arg      // the typed arguments that its probes agree on; nil if they do not
	Records    bool       // whether firing it writes to the buffer, even if only its header
	Attributes Attributes // the least that what it uses promises

	Default bool // whether the body is empty or missing: the default action prints the header

	// InHook is whether args[] and arg0 in the clause are those of the hook, and
	// not of the probe that is made of it: see Derived.
	InHook bool

	// Unknown is whether the clause asks for what only its probes could tell, and none
	// of them is there: no code can be made of it, not even when one comes.
	Unknown bool

	// Speculates is whether the clause calls speculate(): it records nothing
	// before that, and what it records waits for commit().
	Speculates bool
}

// A Ref is what a name stands for: one of *Var, *Agg, *Builtin, *EnumConst,
// *KernelSym or *ArgRef.
type Ref interface{ ref() }

func (*Var) ref()       {}
func (*Agg) ref()       {}
func (*Builtin) ref()   {}
func (*EnumConst) ref() {}
func (*KernelSym) ref() {}
func (*ArgRef) ref()    {}

// A Var is a variable of the script.
type Var struct {
	Index int // from 0 within Program.Vars
	Name  string
	Scope ast.Scope
	Type  types.Type   // of the variable, or of an element if Keys is set
	Keys  []types.Type // of an associative array, wide enough for all its uses; nil for a scalar
	First token.Span   // where it was declared or first used

	// Declared is whether a declaration gave the type, and not the first
	// assignment. Scratch is whether it has held a pointer into scratch memory:
	// what alloca() and copyin() return. User is whether it has held pointers into the
	// process that fires, and no others. Wide is whether it holds values of 64 bits,
	// whatever its type says.
	Declared, Scratch, User, Wide bool

	userland bool // whether its declaration says that it points into the process
	open     bool // whether only clauses without probes have assigned it so far: see absent.go
}

// A Loop is what is known of a loop.
type Loop struct {
	Max    int64 // the most rounds
	Proved bool  // whether the loop cannot want more rounds than Max

	// Counter is what the loop counts by if it is sure to go Rounds rounds, unless it is left:
	// it is From in the first, and By more in each that follows. Else it is nil.
	Counter          *Var
	From, By, Rounds int64
}

// An Agg is an aggregation of the script.
type Agg struct {
	Index  int // from 0 within Program.Aggs
	Name   string
	Func   string     // count, sum, …
	Keys   []AggKey   // the tuple
	Params []int64    // lquantize: base, limit, step; llquantize: factor, low, high, steps
	First  token.Span // where its function was settled
}

// Fn returns the row of the function that fills a.
func (a *Agg) Fn() *function.Aggregate { return function.FindAgg(a.Func) }

// IsHistogram reports whether a fills buckets.
func (a *Agg) IsHistogram() bool { return a.Fn().Buckets }

// An AggKey is one element of the tuple of an aggregation.
type AggKey struct {
	Type types.Type // wide enough for all assignments; void for a stack
	Kind KeyKind    // as the first assignment has it
	Also []KeyKind  // as others have it, if that differs
}

// A KeyKind says how a key is encoded and how it is shown.
type KeyKind = function.Key

// The kinds of keys.
const (
	KeyValue  = function.KeyValue // a value of AggKey.Type
	KeyStack  = function.KeyStack
	KeyUstack = function.KeyUstack
	KeySym    = function.KeySym
	KeyMod    = function.KeyMod
	KeyUsym   = function.KeyUsym
	KeyUmod   = function.KeyUmod
	KeyUaddr  = function.KeyUaddr
)

// A Builtin is a built-in variable: execname, pid, arg0, curthread, …
type Builtin struct {
	Name string
	Type types.Type
}

// An EnumConst is an enumerator.
type EnumConst struct {
	Name  string
	Type  types.Type
	Value int64
}

// A KernelSym is a kernel variable named with a back-quote.
type KernelSym struct{ Symbol }

// An ArgRef is args[n].
type ArgRef struct {
	N   int
	Arg Arg
}

// A Call is a call of a subroutine or an action.
type Call struct {
	Fn     *Function
	User   *Func   // the function of the script that is called; Fn is nil then
	Format *Format // printf, printa, system, freopen: the parsed format
	Agg    *Agg    // clear, trunc, normalize, denormalize, printa: what they act on; nil for all
	Aggs   []*Agg  // printa of several
	Depth  int     // stack, ustack: frames; 0 means the option
	Option string  // setopt: the name
	Value  string  // setopt: the value
	Packet *Packet // pcap: where a packet lies
}

// An AggAssign is an aggregating assignment.
type AggAssign struct {
	Agg   *Agg
	Kinds []KeyKind // what each of its keys is, of those that Agg allows
	Value ast.Expr  // nil for count
	Incr  ast.Expr  // increment of a histogram, or nil for 1
	Dims  []Dim     // what examples of what goes in are to bear; nil if none are kept
}

// An Option is one #pragma D option or -x setting.
type Option struct {
	Name, Value string
	At          token.Span
}

// A Function is a subroutine, which has a value, or an action, which records
// or does something.
type Function = function.Function

// A Format is a printf format, taken apart. The values of a printf are its
// arguments after the format, counted from 0; a * takes the value just before
// the one that its conversion prints. The values of a printa are the keys.
type Format struct {
	Text  string
	Parts []FormatPart
}

// A FormatPart is a run of literal text or one conversion.
type FormatPart struct {
	Literal  string // set if this is text; the other fields count only if it is ""
	Flags    string // of "-+ #0'?"
	Width    int    // 0 if not given
	WidthArg bool   // *: the width is the next argument
	Prec     int    // -1 if not given
	PrecArg  bool
	Size     string     // "", h, hh, l, ll, L
	Verb     byte       // one of a A c C d e E f g G i k o p s S T u x X Y
	Wide     bool       // %wc, %ws
	Agg      bool       // %@d: the aggregation's value
	Arg      int        // index of the value it prints; with Agg, of the aggregation in Call.Aggs
	Type     types.Type // of that value; nil with Agg
}

// UsesArgs reports whether a clause names args[].
func (c *Clause) UsesArgs(p *Program) bool {
	found := false
	p.Means.Walk(c.AST, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			_, is := p.Refs[x].(*ArgRef)
			found = found || is
		}
		return !found
	})
	return found
}

// SameArg reports whether two typed arguments mean the same to a script.
func SameArg(a, b Arg) bool { return sameArgs([]Arg{a}, []Arg{b}) }
