// Package check gives meaning to a script: it finds what every name stands
// for, gives every expression a type, and complains about what does not fit.
//
// The checker walks the script once, in the order of the text, because D's
// variables are declared by their first assignment: what has not been assigned
// or declared above is unknown below. Each rule of the language is one
// function, and each function knows one question: what an operator wants
// (op.go), what a call wants (call.go), what an aggregation holds (agg.go).
// Whatever a rule learns goes into the Program, from which code is made; no
// later phase looks at a name or a type again.
//
// A mistake is reported once, where it arises. Its expression gets the type
// types.Bad, and whoever meets that type keeps silent. What D has and this
// compiler does not have yet is refused with diag.Unsupported.
package check

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/elsewhere"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Options are what the command line says about the check. The zero value is
// good for checking a script while it is typed.
type Options struct {
	// Macros gives the values of $1, $target, … by name without the dollar.
	Macros map[string]string

	// Set holds what was set with -x, before the pragmas of the script.
	Set []Option

	ZeroProbesOK bool // -Z: a description may match nothing
	Destructive  bool // -w: destructive actions are allowed
	DefaultArgs  bool // -x defaultargs: a missing $1 is 0 or ""
	ArgRef       bool // -x argref: arguments may stay unread
	EmptyOK      bool // -x empty: a script may have no clause
	NoAttributes bool // Clause.Attributes are not asked for, unless option amin is set

	Libraries   *lib.Index // of the user; nil if there are none
	NoLibraries bool       // -x nolibs: no library at all
}

// Check checks s, which f holds the text of. The list is in order of place and
// may hold warnings even if the check succeeds. The Program is never nil, but
// it is complete only if the list has no error.
func Check(f *token.File, s *ast.Script, env Env, opts Options) (p *Program, list diag.List) {
	c := newChecker(f, s, env, opts)
	defer func() {
		if why := recover(); why != nil {
			p, list = c.prog, append(c.list, diag.Mishap("the checker", c.at, why))
		}
	}()
	c.script(s)
	for more := c.widen(); len(more) > 0; more = c.widen() { // once more, knowing that
		first := c
		c = newChecker(f, s, env, opts)
		c.wide, c.sets = first.wide, first.sets
		for _, v := range more {
			c.wide[v] = true
		}
		c.script(s)
	}
	c.cuts()
	c.list.Sort()
	c.prog.File = f.WithAnnexes(c.annexes)
	return c.prog, c.list
}

func newChecker(f *token.File, s *ast.Script, env Env, opts Options) *checker {
	large := newTables(len(f.Src))
	c := &checker{
		env:  env,
		opts: opts,
		prog: &Program{
			File:       f,
			Script:     s,
			Means:      large.means,
			Types:      large.types,
			Consts:     large.consts,
			Strings:    large.strings,
			Nulls:      map[ast.Expr]bool{},
			Refs:       large.refs,
			Calls:      large.calls,
			AggAssigns: large.aggAssigns,
			Members:    large.members,
			Locals:     map[*ast.Declarator]*Var{},
			Loops:      map[ast.Stmt]*Loop{},
			Derived:    map[any]*Derived{},
			providers:  map[string]Provided{},
			tables:     large,
		},
		vars:     map[varKey]*Var{},
		aggs:     map[string]*aggregation{},
		builtins: map[string]*Builtin{},
		typedefs: map[string]types.Type{},
		tags:     map[string]types.Type{},
		enums:    map[string]*EnumConst{},
		inlines:  map[string]*inline{},
		xlations: map[*ast.Xlate]xlation{},
		missing:  map[string]bool{},
		fills:    map[*ast.Assign]bool{},
		loaded:   map[*lib.Item]bool{},
		broken:   map[*lib.Item]string{},
		externs:  map[string]types.Type{},
		named:    map[string]types.Type{},
		defined:  map[ast.Type]types.Type{},
		used:     map[string]bool{},
		points:   map[*Var]pointing{},
		wide:     map[varKey]bool{},
		sets:     large.sets,
		funcs:    map[string]*Func{},
		cyclic:   map[string]bool{},

		attributes: map[string]Attributes{},
		provided:   map[string]*ast.Provider{},
		declared:   map[string][]Arg{},
		texts:      map[string]types.Type{},

		chooses:     strings.Contains(f.Src, "?"),
		strsize:     defaultStrsize,
		scratchsize: defaultScratch,
	}
	for _, o := range opts.Set {
		c.noteOption(o)
	}
	return c
}

// A checker holds what is known at one point of the walk.
type checker struct {
	env  Env
	opts Options
	prog *Program
	around

	// foreigners is what the script calls as another kernel does; nil before somebody asks.
	foreigners []elsewhere.Name
	saidModule bool // whether it was said that a module is Linux's own

	vars     map[varKey]*Var
	aggs     map[string]*aggregation
	builtins map[string]*Builtin   // those that the script has used
	typedefs map[string]types.Type // of the script
	tags     map[string]types.Type // struct s, union u, enum e of the script
	enums    map[string]*EnumConst // of the script
	inlines  map[string]*inline
	externs  map[string]types.Type   // of symbols of the kernel, as the script declares them
	named    map[string]types.Type   // what the Env said about types of this script
	defined  map[ast.Type]types.Type // struct s { … } by its place, because declarators share it
	used     map[string]bool         // macro arguments that were read
	points   map[*Var]pointing
	stores   []store
	squeezes []squeeze
	wide     map[varKey]bool // undeclared variables that are to have 64 bits
	sets     map[*ast.ProbeDesc]resolved
	xlations map[*ast.Xlate]xlation
	nobody   []unawaited          // descriptions that match nothing and for which -Z does not wait
	missing  map[string]bool      // providers that are not to be had, once that has been said
	over     bool                 // whether the script asks for too many probes
	at       token.Span           // the item or statement that is being checked
	expanded int                  // how many names were expanded before
	fills    map[*ast.Assign]bool // those that fill an array of characters of a translated object
	ahead    []func()             // checks of predicates that read what is assigned below them
	printas  []*pending           // to be finished when all keys are known

	translators []*translator
	namePragmas []namePragma
	attributes  map[string]Attributes // of names, from pragmas
	provided    map[string]*ast.Provider
	declared    map[string][]Arg      // arguments of probes, from provider declarations, by provider:name
	texts       map[string]types.Type // that were written
	amin        *Attributes           // what the script asks of all that it uses; nil if nothing
	version     *version              // of D that the script asks for; nil for ours

	loaded  map[*lib.Item]bool   // items of libraries that were asked for
	annexes []*token.File        // their texts
	broken  map[*lib.Item]string // why they cannot be used

	funcs     map[string]*Func // of the script, those that have been checked
	cyclic    map[string]bool  // functions that come to call themselves
	hidden    []hiding         // the locals around here, the innermost last
	scopeFrom int              // where those of the innermost block begin

	alone ast.Expr // what the statement that is being checked is; nil in a predicate

	chooses     bool // whether there may be a ?: in the script
	bothArms    bool // whether a constant ?: keeps both: they are only looked at
	strsize     int  // the strsize option, in bytes
	scratchsize int  // the scratchsize option, in bytes
	tregs       int  // the tregs option; 0 if it was not set
	examples    int  // the examples option; 0 if none are to be kept
}

// What is around the text that is being checked. A library that the text names
// is checked apart, as if nothing were around it.
type around struct {
	list    diag.List
	library *library        // nil for the script
	clause  *Clause         // nil outside of one
	did     conduct         // what the clause has done so far
	fn      *Func           // nil outside of one
	loops   int             // how many there are
	params  map[string]*Var // of an inline or translator
	depth   int             // how deep the expansion of names is nested
	grown   int             // how many names the one at the top has led to
}

type varKey struct {
	scope ast.Scope
	name  string
}

// defaultStrsize is what the guides give for strsize, in bytes.
const defaultStrsize = 256

// defaultScratch bounds alloca() and copyin() unless the scratchsize option
// does: what a clause may ask for at all, in bytes.
const defaultScratch = 4096

func (c *checker) errorf(n ast.Node, code diag.Code, format string, args ...any) *diag.Diagnostic {
	return c.list.Add(n.Span(), code, format, args...)
}

// unsupported refuses what D has and this compiler has not.
func (c *checker) unsupported(n ast.Node, format string, args ...any) *diag.Diagnostic {
	return c.list.Add(n.Span(), diag.Unsupported, "%s not supported yet", fmt.Sprintf(format, args...))
}

func (c *checker) script(s *ast.Script) {
	c.recursion(s)
	c.allowed(s)
	c.userLibraries()
	c.items(s)
	for _, check := range c.ahead {
		check()
	}
	c.unfilled()
	for _, p := range c.printas {
		c.finishPrinta(p)
	}
	c.unread()
	c.applied()
	c.notAwaited()
	c.stability()
	if !c.list.Failed() {
		c.settle()
	}
	if len(c.prog.Clauses) == 0 && !c.opts.EmptyOK && len(c.list) == 0 && !hasBad(s) {
		c.list.Add(token.Span{From: 1, To: 1}, diag.ProgEmpty, "the script has no clause, so it would trace nothing").
			Suggest("write a probe and what to do when it fires: BEGIN { trace(\"hello\"); }")
	}
}

// hasBad reports whether the parser gave up on a part of the script, and so has complained.
func hasBad(s *ast.Script) bool {
	for _, item := range s.Items {
		if _, bad := item.(*ast.BadItem); bad {
			return true
		}
	}
	return false
}

// enough reports whether there is no use in checking more: the list takes no more, or
// the script asks for too much.
func (c *checker) enough() bool { return c.over || c.list.Full() }

// items checks the items of s, and keeps them as they were checked.
func (c *checker) items(s *ast.Script) {
	chosen := *s
	chosen.Items = make([]ast.Item, len(s.Items))
	copy(chosen.Items, s.Items)
	for i, item := range s.Items {
		if c.enough() {
			break
		}
		chosen.Items[i] = c.item(item)
	}
	c.prog.Chosen = &chosen
}

// item checks one item and returns what stands for it.
func (c *checker) item(item ast.Item) ast.Item {
	c.at = item.Span()
	switch item := item.(type) {
	case *ast.Pragma:
		c.pragma(item)
	case *ast.Clause:
		return c.checkClause(item)
	case *ast.DeclItem:
		c.decl(item.Decl)
	case *ast.FuncItem:
		return c.funcItem(item)
	case *ast.Inline:
		c.inline(item)
	case *ast.Translator:
		c.translator(item)
	case *ast.Provider:
		c.provider(item)
	case *ast.BadItem:
	default:
		panic("check: unknown item")
	}
	return item
}
