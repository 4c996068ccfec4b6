package check

import (
	"errors"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/types"
)

// An Env is what the checker must be told of the machine: which probes there
// are, and the kernel's types. The engine satisfies it over the running
// kernel, a test over a handful of made-up probes. Its methods may be called
// from several goroutines.
type Env interface {
	// Probes resolves a description, whose parts may be globs or empty, or
	// which is a number. It returns ErrNoProbe if nothing matches, and an error
	// that says why if what matches cannot be had here.
	Probes(d *ast.ProbeDesc) (ProbeSet, error)

	// Type finds a named type of the kernel or of one of its modules ("" is
	// all of them). Kind is struct, union, enum, or typedef. It returns
	// ErrNoType if there is none.
	Type(kind, module, name string) (types.Type, error)

	// Symbol finds a variable or function of the kernel. It returns
	// ErrNoSymbol if there is none.
	Symbol(module, name string) (Symbol, error)

	// Enumerator finds a constant of one of the kernel's enumerations.
	Enumerator(name string) (value int64, t types.Type, ok bool)

	// HasModule reports whether the kernel has a module; vmlinux is the kernel itself.
	HasModule(name string) bool
}

// A Hinter is an error of an Env that knows what to write instead.
type Hinter interface {
	error
	Hint() string // may be empty
}

// A Tagger is an error of an Env that DTrace has a tag for: one of those of package
// diag.
type Tagger interface {
	error
	Tag() string
}

// A Shut is the error of an Env that a provider cannot be used here, or not by who asks.
// Its method does nothing: it marks such errors.
type Shut interface {
	error
	Shut()
}

// What an Env says when it has nothing.
var (
	ErrNoProbe  = errors.New("no such probe")
	ErrNoType   = errors.New("no such type")
	ErrNoSymbol = errors.New("no such symbol")

	// ErrTooMuch is that of probes which are not even looked for any more.
	ErrTooMuch = errors.New("too much is asked for")
)

// A Number is a raw argument of some probes that is no address.
type Number struct {
	Probes []string // at which it is none, the first few: syscall::openat:entry
	More   int      // how many others there are
	Slot   int      // of arg0, arg1, …
	Name   string   // at the first; "" if not known
	Text   int      // the slot of that which leads to a text
	Path   string   // the name of that; "" if not known
}

// A ProbeSet is what the checker knows of the probes that one description
// covers.
type ProbeSet struct {
	Count int

	// Args are the types of args[0], args[1], … if all the probes agree on
	// them. Otherwise Args is nil and Disagree is true.
	Args     []Arg
	Disagree bool

	// First is the name of args[0], if all the probes have it and call it so.
	First string

	// Numbers are the raw arguments that are no addresses at some of the probes, where
	// another one leads to a text: what old scripts take for a path may be the
	// descriptor of a folder on Linux.
	Numbers []Number

	// Lacks says why arg0, and args[0] with it, carries nothing at some of the
	// probes; "" if it does at all.
	Lacks string

	// Module is the module under which the probes stand, if the description names it as
	// another kernel does; else "".
	Module string

	// Special is "BEGIN", "END" or "ERROR" if that is what was named, by the
	// dtrace provider, else "".
	Special string

	// Derived says of those of the probes that are made of others how they are,
	// and Own counts the rest.
	Derived []Derivation
	Own     int

	// Unawaited says what of modules of the kernel the description would cover, and is
	// not waited for if there is none yet: "tracepoints"; else "".
	Unawaited string

	// Sites is what the Env needs to know these probes again when code is
	// generated for them. The checker passes it through.
	Sites Sites

	// Open is what the Env needs to know the description again that may come to
	// cover more probes while the script runs; nil if it may not. The checker
	// passes it through, also from an Env that knows no such probe yet.
	Open Opening
}

// Sites are what an Env knows the probes of a description by. Its method does nothing: it
// marks the one type that an Env has for them.
type Sites interface{ CheckSites() }

// An Opening is what an Env knows a description by that may come to cover more. Its method
// does nothing, as that of Sites.
type Opening interface{ CheckOpening() }

// An Arg is one typed argument of a probe.
type Arg struct {
	Name string // "" if not known
	Type types.Type
	Slot int  // which raw argument (arg0, arg1, …) carries it
	User bool // whether a pointer points into the process and not into the kernel

	// Why says why the value cannot be had, if it cannot.
	Why string

	// As is the type that scripts see, in D, if a translator makes it from Type:
	// bufinfo_t *. It is resolved when a script reads the argument.
	As string
	to types.Type // the same, from a provider declaration
}

// TypeName spells the type that scripts see.
func (a Arg) TypeName() string {
	switch {
	case a.to != nil:
		return a.to.String()
	case a.As != "":
		return a.As
	case a.Type == nil:
		return "unknown"
	}
	return a.Type.String()
}

// A Symbol is a variable or function of the kernel.
type Symbol struct {
	Module, Name string
	Addr         uint64     // 0 if the kernel hides it
	Type         types.Type // nil if the kernel tells none
	Code         bool       // whether it is a function
}
