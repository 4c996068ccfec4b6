package outline

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A Kind says what a Symbol is.
type Kind uint8

// The kinds.
const (
	Clause Kind = iota
	Function
	Variable
	Constant // an inline
	Type
	Translator
	Provider
)

// A Symbol is an item of a script that a person looks for.
type Symbol struct {
	Kind Kind
	Name string     // of a clause its probes
	At   token.Span // the whole item
	Word token.Span // where it is named
}

// Symbols returns the items of a script, in their order. A script that is half written
// has those that the parser makes out.
func Symbols(f *token.File) (list []Symbol) {
	tree, _ := parser.Parse(f)
	add := func(kind Kind, name string, it ast.Node, word token.Span) {
		list = append(list, Symbol{kind, strings.Join(strings.Fields(name), " "), it.Span(), word})
	}
	for _, it := range tree.Items {
		switch it := it.(type) {
		case *ast.Clause:
			if n := len(it.Probes); n > 0 {
				head := it.Probes[0].Span().Join(it.Probes[n-1].Span())
				add(Clause, f.Text(head), it, head)
			}
		case *ast.FuncItem:
			if n := it.Decl.Names[0].Name; n != nil {
				add(Function, n.Text, it, n.Span())
			}
		case *ast.Inline:
			if it.Name != nil {
				add(Constant, it.Name.Text, it, it.Name.Span())
			}
		case *ast.Translator:
			if it.Out != nil {
				add(Translator, "translator "+f.Text(it.Out.Span()), it, it.Out.Span())
			}
		case *ast.Provider:
			if it.Name != nil {
				add(Provider, it.Name.Text, it, it.Name.Span())
			}
		case *ast.DeclItem:
			declared(it, add)
		}
	}
	return list
}

// declared adds the names of a declaration, and the tag of a type that it defines.
func declared(it *ast.DeclItem, add func(Kind, string, ast.Node, token.Span)) {
	if s, ok := it.Decl.Base.(*ast.Struct); ok && s.Defined && s.Tag != "" {
		add(Type, map[bool]string{false: "struct ", true: "union "}[s.Union]+s.Tag, it, s.Span())
	}
	for _, n := range it.Decl.Names {
		if n.Name == nil {
			continue
		}
		kind, scope := Variable, ""
		switch it.Decl.Storage {
		case "typedef":
			kind = Type
		case "self", "this":
			scope = it.Decl.Storage + "->"
		}
		add(kind, scope+n.Name.Text, it, n.Name.Span())
	}
}
