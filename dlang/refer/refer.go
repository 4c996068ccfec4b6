// Package refer tells which places of a script mean the same thing: where a variable,
// an aggregation, a function or a type is declared, where it is used, and what has to
// be written where if it is to be called otherwise.
//
// It looks at the tree alone, so that it answers while a script is half written and
// knows no kernel. The rules are those of the checker: a name of a block is known
// behind its declaration and to the end of the block; a variable of the script is
// declared by a declaration or by its first assignment; self->x, this->x, @x and x
// are four things. Members of structs are not followed, for to whom they belong only
// types tell.
//
// The text may be one that a preprocessor has made. Places are then those of the made
// text, and token.File.Origin tells where they were written; Rename refuses to change
// what was not written in the script itself.
package refer

import (
	"cmp"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A Kind says what a Symbol is.
type Kind uint8

// The kinds.
const (
	Name        Kind = iota // a plain name that the script does not declare: execname, SIGINT
	Variable                // a variable of the script: x
	Thread                  // self->x
	Firing                  // this->x
	Local                   // a variable of a block, or a parameter
	Aggregation             // @x
	Function                // a function: the script's own, or D's
	Inline                  // an inline
	Type                    // a typedef
	Tag                     // struct x, union x or enum x
	Enumerator              // a name of an enum
	Macro                   // $1, $target
	Kernel                  // `x
)

// String returns the kind as a person calls it.
func (k Kind) String() string {
	return [...]string{"name", "variable", "variable of each thread", "variable of each firing", "variable of a block",
		"aggregation", "function", "inline", "type", "tag", "enumerator", "macro argument", "symbol of the kernel"}[k]
}

// A Symbol is something that a script names. Places cover the name alone, without the
// sigil or what else tells its kind.
type Symbol struct {
	Name  string
	Kind  Kind
	Def   token.Span   // where it is declared, or else first assigned; not valid if the script does neither
	Uses  []token.Span // all places, Def among them, in order
	scope token.Span   // of a Local: where it is known

	declared bool // whether Def is a declaration
}

// Shown spells the symbol as a script does.
func (s *Symbol) Shown() string {
	switch s.Kind {
	case Thread:
		return "self->" + s.Name
	case Firing:
		return "this->" + s.Name
	case Aggregation:
		return "@" + s.Name
	case Macro:
		return "$" + s.Name
	case Kernel:
		return "`" + s.Name
	case Function:
		return s.Name + "()"
	}
	return s.Name
}

// plain reports whether the name stands alone, so that it must differ from other such names.
func (s *Symbol) plain() bool {
	switch s.Kind {
	case Thread, Firing, Aggregation, Tag, Macro, Kernel:
		return false
	}
	return true
}

// An Index is what a script names.
type Index struct {
	File    *token.File
	Symbols []*Symbol // in order of their first places
	Locals  []*Symbol // those of Symbols that are known in a part of the script only
}

// Parse indexes the text of f.
func Parse(f *token.File) *Index {
	tree, _ := parser.Parse(f)
	return Of(f, tree)
}

// Of indexes a tree of f.
func Of(f *token.File, s *ast.Script) *Index {
	w := &walker{file: f, known: map[key]*Symbol{}}
	w.declare(s)
	for _, it := range s.Items {
		w.item(it)
	}
	x := &Index{File: f}
	for _, sym := range w.all {
		if len(sym.Uses) == 0 {
			continue
		}
		slices.SortFunc(sym.Uses, byPlace)
		sym.Uses = slices.Compact(sym.Uses) // a type is visited for each of its names
		x.Symbols = append(x.Symbols, sym)
	}
	slices.SortStableFunc(x.Symbols, func(a, b *Symbol) int { return byPlace(a.Uses[0], b.Uses[0]) })
	for _, sym := range x.Symbols {
		if sym.Kind == Local {
			x.Locals = append(x.Locals, sym)
		}
	}
	return x
}

func byPlace(a, b token.Span) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// At returns the symbol at a byte offset of the text, and the place of its name there.
// The offset behind the last letter still counts. It is nil if there is none.
func (x *Index) At(off int) (*Symbol, token.Span) {
	at := token.Pos(off + 1)
	for _, s := range x.Symbols {
		i, _ := slices.BinarySearchFunc(s.Uses, at, func(u token.Span, at token.Pos) int { return cmp.Compare(u.To, at) })
		if i < len(s.Uses) && s.Uses[i].From <= at {
			return s, s.Uses[i]
		}
		if i+1 < len(s.Uses) && s.Uses[i+1].From == at {
			return s, s.Uses[i+1]
		}
	}
	return nil, token.Span{}
}

// Named returns the symbol of a kind that a script declares by a name, or nil.
func (x *Index) Named(k Kind, name string) *Symbol {
	for _, s := range x.Symbols {
		if s.Kind == k && s.Name == name {
			return s
		}
	}
	return nil
}
