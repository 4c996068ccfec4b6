// Package function is the table of D's functions: one row for each, which says
// how it is called, what it is for and what is true of it.
//
// A function is named by an ID, which its row is found by. Whoever does
// something with functions keys a table of his own by it: check what it checks
// beyond the row, lower what code it makes. Tests there ask that each function
// has an entry. What is true of some functions and not of others is a column
// here, so that a new function says it where it is described, and no list of
// names elsewhere can forget it.
//
// To add a subroutine, give it an ID and a row in table.go, and package lower a
// hook; a check of its own goes to check.special. One that D itself can express may be
// a function of package lib, and nothing else: it has no help, is in no grammar, and
// takes its arguments as D converts them.
//
// An action that records does so as ActCall in lower, and needs a reading in the engine's
// record besides, or its scripts do not start.
//
// An aggregating function is a row in aggregate.go, an update in lower, a kind of cell in
// the engine's agg, with how two of them become one, and a row in its trace, which says
// what its values are to those who show them. All there are stand in every DTrace: one of
// our own would want a Home, as functions have, or it takes its name from old scripts.
//
// The test of package grammar says how the file for editors is written anew. What the
// random programs of the judges are made of is listed in package gen of lower: a function
// that is not there is not compared.
package function

import (
	"iter"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// A Want says what a function accepts as one argument.
type Want uint8

// What functions accept.
const (
	Any     Want = iota // anything that has a value
	Int                 // an integer
	Addr                // an address: an integer or a pointer
	Pointer             // a pointer
	String              // a string, an array of characters or a pointer to them
	Agg                 // an aggregation
)

func (w Want) String() string {
	return [...]string{"a value", "an integer", "an address", "a pointer", "a string", "an aggregation"}[w]
}

// A Key says how a key of an aggregation is encoded and how it is shown.
type Key uint8

// The kinds of keys.
const (
	KeyValue  Key = iota // a value of its type
	KeyStack             // stack()
	KeyUstack            // ustack()
	KeySym               // sym(), func(): the address of a kernel symbol
	KeyMod               // mod()
	KeyUsym              // usym(), ufunc(): process and address
	KeyUmod              // umod()
	KeyUaddr             // uaddr()
)

// Family returns the kind that stands for all that may mix with k in one element.
func (k Key) Family() Key {
	switch k {
	case KeyUstack:
		return KeyStack
	case KeyMod:
		return KeySym
	case KeyUmod, KeyUaddr:
		return KeyUsym
	}
	return k
}

// A Home says which DTrace has a function.
type Home uint8

// Where functions are at home.
const (
	Everywhere Home = iota
	Illumos         // illumos and FreeBSD, not Oracle's
	Oracle          // Oracle's alone
	Nowhere         // here alone
)

// A Subject is what a function tells of, or touches, beyond its arguments.
type Subject uint8

// The subjects: who may not see one may not call the function.
const (
	Nothing Subject = iota // what it is given, and what the script has recorded
	Process                // the process in which the probe fires
	Kernel                 // the kernel, or all that run
)

// A Function is a subroutine, which has a value, or an action, which records
// or does something.
type Function struct {
	ID    ID
	Name  string // as Proto has it
	Proto string // for completion and messages: strjoin(string a, string b)
	Help  string
	Why   string // why it is refused; "" if it is not
	Since string // the version of D that it came with; "" if it was always there
	Home  Home
	About Subject

	Params []Want
	Min    int        // how many of Params must be given
	Rest   bool       // whether more may follow them
	Result types.Type // nil if there is none
	Struct string     // the kernel's struct that the result points to, where that is known
	Behind string     // what the first argument points to; "" if that does not matter
	Code   diag.Code  // of a first argument that does not fit; "" is diag.ProtoArg

	Action      bool
	Records     bool // whether the action writes to the buffer
	Destructive bool // whether it changes the system and needs -w
	Irrevocable bool // whether it changes a process or the kernel, at once
	Format      bool // whether its arguments are a format and what that prints
	MayBeNull   bool // whether the string that it gives may be NULL
	Scratch     bool // whether it gives scratch memory
	OrString    bool // whether its first argument may be a string, too, of which the bytes count
	Remembers   bool // whether what it gives depends on the calls before
	Stops       bool // whether it ends the run
	Speculates  bool // whether it has to do with speculations

	// To and Size are which arguments are the scratch memory that it writes to, and how
	// many bytes; 0 if it does not.
	To, Size int

	Key Key // what it is as a key of an aggregation; KeyValue if it is none
}

// An ID names a function of D.
type ID uint8

// String returns the name of the function.
func (id ID) String() string { return table[id].Name }

// Of returns the row of a function.
func Of(id ID) *Function { return &table[id] }

// Find returns the row of the function that has a name, or that of None.
func Find(name string) *Function { return &table[byName[name]] }

// Is reports whether D has a function of that name, aggregating ones aside.
func Is(name string) bool { return byName[name] != None }

// All yields the rows of all functions.
func All() iter.Seq[*Function] {
	return func(yield func(*Function) bool) {
		for id := None + 1; id < Count && yield(&table[id]); id++ {
		}
	}
}

// complete fills in what the other columns tell.
func complete(rows [Count]Function) [Count]Function {
	for id := range rows {
		f := &rows[id]
		f.ID = ID(id)
		f.Name, _, _ = strings.Cut(f.Proto, "(")
	}
	return rows
}

var byName = func() map[string]ID {
	m := map[string]ID{}
	for f := range All() {
		m[f.Name] = f.ID
	}
	return m
}()
