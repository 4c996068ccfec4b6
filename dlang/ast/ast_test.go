package ast_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

func parse(t *testing.T, src string) *ast.Script {
	t.Helper()
	script, errs := parser.Parse(token.NewFile("x.d", src))
	if len(errs) > 0 {
		t.Fatalf("%q: %s", src, errs[0].Msg)
	}
	return script
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"BEGIN { x = 1; }", "BEGIN\n{\n\tx = 1 /* one */\n}\n", true},
		{"BEGIN { x = 1; }", "BEGIN { x = 2; }", false},
		{"BEGIN { x = 1; }", "BEGIN { x = 0x1; }", false}, // spelled in another way
		{"BEGIN { x = 1; }", "BEGIN { x += 1; }", false},
		{"BEGIN { x = 1; }", "BEGIN { x = (1); }", false},
		{"BEGIN { f(); }", "BEGIN { f(1); }", false},
		{"BEGIN /x/ { }", "BEGIN { }", false},
		{"BEGIN { }", "BEGIN;", false},
		{"provider p { probe a(); };", "provider p { probe a() : (); };", false},
		{"self int x;", "int x;", false},
		{"const int *x;", "int *x;", false},
	} {
		if got := ast.Equal(parse(t, tt.a), parse(t, tt.b)); got != tt.want {
			t.Errorf("%q and %q: equal is %t", tt.a, tt.b, got)
		}
	}
}

// TestWalk holds that Walk knows every node, and visits names in the order of
// the text.
func TestWalk(t *testing.T) {
	for _, src := range golden.Inputs(t, "../../testdata/*/*.txtar") {
		script, _ := parser.Parse(token.NewFile("x.d", src))
		ast.Walk(script, func(ast.Node) bool { return true })
	}
	var names []string
	ast.Walk(parse(t, "BEGIN /a/ { b = c + d[e, f]; @g[h] = sum(i); if (j) { k(l); } else m->n; p ? q : (r)-s; }"),
		func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				names = append(names, n.Name)
			case *ast.Name:
				names = append(names, n.Text)
			case *ast.AggRef:
				names = append(names, n.Name)
			}
			return true
		})
	if got, want := strings.Join(names, " "), "a b c d e f g h sum i j k l m n p q r s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnparen(t *testing.T) {
	script := parse(t, "BEGIN { ((x)); }")
	x := script.Items[0].(*ast.Clause).Body.Stmts[0].(*ast.ExprStmt).X
	if id, ok := ast.Unparen(x).(*ast.Ident); !ok || id.Name != "x" {
		t.Errorf("got %T", ast.Unparen(x))
	}
}

func TestQuals(t *testing.T) {
	if got := (ast.Const | ast.Restrict).String(); got != "const restrict" {
		t.Errorf("got %q", got)
	}
}
