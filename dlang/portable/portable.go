// Package portable finds in a script what DTrace does not have.
//
// A script that somebody wrote for DTrace means the same here; the other way
// round that holds only for what both have. Find goes over the tree and says of
// everything else what it is and how to do without. It looks at words and grammar
// alone: which probes, types and members a system has is another question.
package portable

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// Find returns a warning for everything in s that is beyond DTrace, in order of
// place.
func Find(s *ast.Script) diag.List {
	f := &finder{}
	ast.Walk(s, f.visit)
	f.list.Sort()
	return f.list
}

type finder struct{ list diag.List }

// found warns about the words at the beginning of n.
func (f *finder) found(n ast.Node, words int, format string, args ...any) *diag.Diagnostic {
	at := n.Span()
	if words > 0 {
		at.To = min(at.To, at.From+token.Pos(words))
	}
	d := f.list.Add(at, diag.Portable, format, args...)
	d.Severity = diag.Warning
	return d
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.If:
		f.found(n, len("if"), "Oracle's DTrace has no if; illumos and FreeBSD have it").
			Suggest("write clauses with predicates")
	case *ast.For:
		f.loop(n, "for")
	case *ast.While:
		f.loop(n, "while")
	case *ast.DoWhile:
		f.loop(n, "do")
	case *ast.Return:
		f.found(n, len("return"), "DTrace has no return").Suggest("write clauses with predicates")
	case *ast.DeclStmt:
		f.found(n, 0, "DTrace has no variables that live in a block").Suggest("assign to this->%s", firstName(n.Decl))
	case *ast.FuncItem:
		f.found(n.Decl.Names[0].Name, 0, "DTrace has no functions in scripts").
			Suggest("write an inline, or the steps where they are needed")
		return false // and so nothing that stands in one
	case *ast.Typeof:
		f.found(n, len("typeof"), "DTrace has no typeof").Suggest("name the type")
	case *ast.Array:
		if isString(n.Elem) {
			f.found(n, 0, "DTrace has no arrays of strings").Suggest("declare an associative array: string name[int]")
		}
	case *ast.Call:
		f.call(n)
	case *ast.ProbeDesc:
		if n.Provider == "rawtp" {
			f.found(n, 0, "DTrace has no provider rawtp").Suggest("use sdt")
		}
	}
	return true
}

func (f *finder) loop(n ast.Node, word string) {
	f.found(n, len(word), "DTrace has no loops").Suggest("write the steps one after another, or one clause for each")
}

// firstName returns a name that a declaration declares, for a hint.
func firstName(d *ast.Decl) string {
	for _, n := range d.Names {
		if n.Name != nil && n.Name.Text != "" {
			return strings.TrimPrefix(n.Name.Text, "`")
		}
	}
	return "x"
}

// isString reports whether t is the word string.
func isString(t ast.Type) bool {
	b, ok := t.(*ast.Basic)
	return ok && len(b.Words) == 1 && b.Words[0] == "string"
}
