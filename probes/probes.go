// Package probes knows what can be probed on this machine: families of probes,
// how to find and name them, and how each can be hooked.
//
// A provider describes and never attaches, and never emits an instruction: it
// turns a probe into a Site, which says by which Hook the kernel calls us and
// where the probe's arguments lie. Package engine/codegen turns sites into
// instructions, package engine/attach turns hooks into links. Nothing here
// changes kernel state.
//
// The Registry numbers the probes of all providers and finds them by pattern,
// by name or by number. It lists a family only when somebody asks for what
// might be in it, because most scripts name their probes outright.
//
// Each family is a package: dtrace, syscall, tracepoint (sdt and rawtp), timer
// (profile), perf (cpc), fbt (fbt and rawfbt), kinst; of processes user (pid), usdt and
// plockstat; derived makes probes of those of the others. Whoever adds a family begins
// there: a provider of derived is a page of text. What they know of the kernel they have
// from package kernel, of processes from package space, and of files from package binary.
package probes

import (
	"context"
	"iter"

	"dscope.dev/dlang/types"
)

// A Provider publishes one family of probes, such as syscall or profile.
// Its methods may be called from several goroutines.
type Provider interface {
	Name() string

	// Help is one sentence on what the family is for.
	Help() string

	// Available returns nil, or why this kernel or these privileges cannot give
	// the family, with the remedy.
	Available() error

	// Match yields the probes that pat covers, in the order of their listing. A
	// family may be endless (profile-N): for the empty pattern it then yields
	// a few usual ones, otherwise what pat spells out.
	Match(ctx context.Context, pat Pattern) iter.Seq2[Probe, error]

	// Site works out how p can be hooked and where its arguments lie. It
	// touches no kernel state.
	Site(p Probe) (*Site, error)

	// Traits returns what sets the provider apart from most. The registry asks once.
	Traits() Traits
}

// A Probe is one named place.
type Probe struct{ Provider, Module, Function, Name string }

// String returns provider:module:function:name.
func (p Probe) String() string {
	return p.Provider + ":" + p.Module + ":" + p.Function + ":" + p.Name
}

// A Site is a probe made ready for the compiler. Sites that share a Hook are
// served by one program, in which Key tells them apart.
type Site struct {
	Probe Probe
	ID    uint32 // the number of the probe, filled in by the Registry
	Hook  Hook
	Key   uint32 // which of the hook's sites this is, as Hook.Select tells it
	Args  []Arg  // args[0], args[1], …
	Raw   int    // how many of arg0, arg1, … carry something
	Help  string // what the probe means; may be empty

	// Progeny is the process in which the site fires, and in those that descend from
	// it, where the hook itself fires in all; 0 if it is to.
	Progeny int

	// Except are processes in which the site does not fire, ascending: each has one of
	// its own for the same place.
	Except []int

	// Jump is, of an Instruction that jumps on a condition, that on which the site
	// fires, where others go on.
	Jump Condition

	// Operands say where arg0, arg1, … lie if not where the hook puts them.
	Operands []Operand

	// Words is, of a Function whose type the kernel tells, one more than the
	// number of words that its parameters take; else 0. Without its type a
	// function has no trampoline, and is hooked by its address.
	Words int

	// Lacks says why arg0 carries nothing, for scripts that ask for it.
	Lacks string

	// Derived says how the probe is made of that whose Hook it has; nil if the
	// Hook is its own.
	Derived *Derivation
}

// A Derivation says how a probe is made of another one. All text is D, and
// speaks of the other's arguments: args[0] is its first.
type Derivation struct {
	On     *Site        // the other
	When   string       // the firing counts only if this is true; "" if it always does
	Values []string     // arg0, arg1, … of the probe that is made
	Types  []types.Type // of Values
	Then   []string     // what is done at the end of a firing, for those to come
	State  []*State     // what must have been noted before
}

// A State is what a firing of a probe leaves for those that are made with its
// help: assignments to variables.
type State struct {
	On   *Site
	When string
	Do   []string
}

// An Arg is one typed argument of a site. Where its type is a struct or union, that is
// handed over by value: its words lie in the slot and in those behind it.
type Arg struct {
	Name string // "" if not known
	Type types.Type
	Slot int  // which raw argument carries it: arg0, arg1, …
	User bool // whether it is an address of the process and not of the kernel

	// Why says why the value cannot be had, if it cannot: it lies where no program sees
	// it.
	Why string

	// As is the type that scripts see, in D, if the library translates the
	// argument: bufinfo_t *. Type is then what it is translated from.
	As string
}
