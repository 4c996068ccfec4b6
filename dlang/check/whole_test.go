package check_test

import (
	"path/filepath"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/check/checktest"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/types"
	"golang.org/x/tools/txtar"
)

// TestProgramIsComplete sees that a script without an error leaves nothing for
// later phases to find out. Its tree has been checked again by then, as an editor and a run
// may do at once: a Program has nothing in the tree.
func TestProgramIsComplete(t *testing.T) {
	files, err := filepath.Glob("../../testdata/check/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		prog, list := checkText(archive.Files[0].Data)
		if list.Failed() {
			continue
		}
		checked++
		check.Check(prog.File, prog.Script, checktest.New(), optionsOf(string(archive.Files[0].Data)))
		if again, _ := parser.Parse(prog.File); !ast.Equal(prog.Script, again) {
			t.Errorf("%s: the checker has changed the tree", name)
		}
		for _, c := range prog.Clauses {
			prog.Means.Walk(c.AST, func(n ast.Node) bool { return wholeNode(t, prog, n) })
		}
		for _, v := range prog.Vars {
			if types.IsInvalid(v.Type) || prog.Vars[v.Index] != v {
				t.Errorf("%s: variable %s is not whole: %+v", name, v.Name, v)
			}
		}
		for _, a := range prog.Aggs {
			if a.Func == "" || prog.Aggs[a.Index] != a {
				t.Errorf("%s: aggregation %s is not whole: %+v", name, a.Name, a)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d archives have no error", checked)
	}
}

// wholeNode checks one node and reports whether to look inside.
func wholeNode(t *testing.T, prog *check.Program, n ast.Node) bool {
	text := prog.File.Text(n.Span())
	switch n := n.(type) {
	case *ast.AggAssign:
		if prog.AggAssigns[n] == nil {
			t.Errorf("%s has no AggAssign", text)
		}
	case *ast.AggRef:
		if prog.Refs[n] == nil {
			t.Errorf("%s has no Ref", text)
		}
		return true
	case *ast.Call:
		if prog.Calls[n] == nil {
			t.Errorf("%s has no Call", text)
		}
	case *ast.Member:
		if _, ok := prog.Members[n]; !ok && !prog.Means.Has(n) {
			t.Errorf("%s has no Member", text)
		}
	case *ast.Ident, *ast.Var, *ast.KSym, *ast.Macro:
		x := n.(ast.Expr)
		_, isConst := prog.Consts[x]
		_, isString := prog.Strings[x]
		if prog.Refs[x] == nil && !isConst && !isString && !prog.Means.Has(x) {
			t.Errorf("%s stands for nothing", text)
		}
		if ref, ok := prog.Refs[x].(*check.Var); ok && ref.Keys != nil {
			return false // the base of an index, which has no type of its own
		}
		if ref, ok := prog.Refs[x].(*check.Builtin); ok && ref.Name == "uregs" {
			return false
		}
	}
	x, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	if types.IsInvalid(prog.Types[x]) {
		t.Errorf("%s has no type", text)
	}
	switch x := x.(type) {
	case *ast.Sizeof, *ast.Offsetof:
		return false // never computed
	case *ast.Index:
		if _, isArg := prog.Refs[x].(*check.ArgRef); isArg {
			return false // args itself is no value
		}
	}
	return true
}
