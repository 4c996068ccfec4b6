package parser_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/format"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

func printTree(input []byte) []byte {
	script, _ := parser.Parse(token.NewFile("input", string(input)))
	return []byte(ast.Dump(script))
}

func printDiagnostics(input []byte) []byte {
	f := token.NewFile("input", string(input))
	_, errs := parser.Parse(f)
	var b strings.Builder
	if err := diag.Print(&b, f, errs); err != nil {
		panic(err) // a Builder takes everything
	}
	return []byte(b.String())
}

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/parse/*.txtar", map[string]func([]byte) []byte{
		"tree":        printTree,
		"diagnostics": printDiagnostics,
	})
}

func TestDiagnostics(t *testing.T) {
	golden.Run(t, "../../testdata/diag/*.txtar", map[string]func([]byte) []byte{
		"diagnostics": printDiagnostics,
	})
}

// TestEveryTag holds that each complaint of scanner and parser has a script
// among the archives that provokes it.
func TestEveryTag(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, src := range golden.Inputs(t, "../../testdata/diag/*.txtar") {
		_, errs := parser.Parse(token.NewFile("input", src))
		for _, d := range errs {
			seen[d.Code] = true
		}
	}
	for _, code := range []diag.Code{diag.Syntax, diag.IntOverflow, diag.IntDigit, diag.StrNewline, diag.CharNewline,
		diag.CharNull, diag.CharOverflow, diag.ProbeInvalid, diag.AggFunc, diag.DeclClass, diag.DeclCombo,
		diag.Unsupported} {
		if !seen[code] {
			t.Errorf("no script provokes %s", code)
		}
	}
}

// TestCast tells casts from parentheses, with and without knowledge of the
// system's types.
func TestCast(t *testing.T) {
	known := func(module, name string) bool { return name == "foo" || module == "mod" && name == "bar" }
	for _, tt := range []struct {
		expr   string
		isType func(module, name string) bool
		cast   bool
	}{
		{"(int)x", nil, true},
		{"(const char *)x", nil, true},
		{"(struct s *)x", nil, true},
		{"(foo_t)x", nil, true},
		{"(foo_t *)x", nil, true},
		{"(foo_t)-1", nil, true},
		{"(foo)-1", nil, false},
		{"(foo)-1", known, true},
		{"(foo_t)-1", known, false},
		{"(foo)(x)", known, true},
		{"(foo)x", nil, true}, // nothing else has a name after a parenthesis
		{"(foo)*x", known, true},
		{"(foo)*x", nil, false},
		{"(foo)&x", known, true},
		{"(foo) / x", known, false},
		{"(foo)[1]", known, false},
		{"(foo)->x", known, false},
		{"(foo) + x", nil, false},
		{"(mod`bar)-1", known, true},
		{"(mod`baz)-1", known, false},
		{"(mod`baz *)p", known, true},
		{"(foo * x)", known, false},
		{"(foo (*)(int))x", known, true},
		{"(var)-1", func(string, string) bool { return true }, false}, // the script's variable goes first
		{"(ours)-1", nil, true},
		{"(uint32_t)~0", nil, true},
		{"(u64)-1", nil, true},
		{"(string)x", nil, true},
	} {
		src := "typedef int ours; int var; BEGIN { trace(" + tt.expr + "); }"
		script, errs := parser.Config{IsType: tt.isType}.Parse(token.NewFile("x.d", src))
		if len(errs) > 0 {
			t.Errorf("%s: %s", tt.expr, errs[0].Msg)
			continue
		}
		found := false
		ast.Walk(script, func(n ast.Node) bool {
			_, is := n.(*ast.Cast)
			found = found || is
			return true
		})
		if found != tt.cast {
			t.Errorf("%s: cast is %t, want %t", tt.expr, found, tt.cast)
		}
	}
}

// TestSpans holds that a node lies within its parent and in the script.
func TestSpans(t *testing.T) {
	for _, src := range golden.Inputs(t, "../../testdata/format/*.txtar") {
		f := token.NewFile("x.d", src)
		script, _ := parser.Parse(f)
		var parents []ast.Node
		check := func(n ast.Node) bool {
			at := n.Span()
			if !at.IsValid() || at.To < at.From || int(at.To) > len(src)+1 {
				t.Errorf("%T covers %v", n, at)
			}
			if len(parents) > 0 {
				if p := parents[len(parents)-1]; at.From < p.Span().From || at.To > p.Span().To {
					if _, declared := p.(*ast.Declarator); !declared { // its type begins before it
						t.Errorf("%T %q is not within %T %q", n, f.Text(at), p, f.Text(p.Span()))
					}
				}
			}
			return true
		}
		walk(script, &parents, check)
	}
}

// walk is ast.Walk with the way down to each node.
func walk(n ast.Node, parents *[]ast.Node, f func(ast.Node) bool) {
	first := true
	ast.Walk(n, func(child ast.Node) bool {
		if first {
			first = false
			return f(n)
		}
		*parents = append(*parents, n)
		walk(child, parents, f)
		*parents = (*parents)[:len(*parents)-1]
		return false
	})
}

// TestHostile holds that no input overflows the stack.
func TestHostile(t *testing.T) {
	const many = 200_000
	for _, tt := range []struct{ name, src string }{
		{"parentheses", "BEGIN { x = " + strings.Repeat("(", many)},
		{"minus", "BEGIN { x = " + strings.Repeat("- ", many) + "1; }"},
		{"sum", "BEGIN { x = 1" + strings.Repeat(" + 1", many) + "; }"},
		{"comma", "BEGIN { x" + strings.Repeat(", x", many) + "; }"},
		{"members", "BEGIN { x = a" + strings.Repeat(".b", many) + "; }"},
		{"assignments", "BEGIN { " + strings.Repeat("x = ", many) + "1; }"},
		{"conditions", "BEGIN { x = " + strings.Repeat("1 ? 1 : ", many) + "1; }"},
		{"casts", "BEGIN { x = " + strings.Repeat("(int)", many) + "1; }"},
		{"blocks", "BEGIN " + strings.Repeat("{", many)},
		{"ifs", "BEGIN { " + strings.Repeat("if (1) ", many) + "; }"},
		{"else ifs", "BEGIN { " + strings.Repeat("if (1) ; else ", many) + "; }"},
		{"loops", "BEGIN { " + strings.Repeat("for (;;) ", many) + "; }"},
		{"pointers", "int " + strings.Repeat("*", many) + "p;"},
		{"declarators", "int " + strings.Repeat("(", many) + "p;"},
		{"arrays", "int p" + strings.Repeat("[1]", many) + ";"},
		{"structs", strings.Repeat("struct { ", many)},
		{"parameters", "int f" + strings.Repeat("(int ", many)},
		{"indexes", "BEGIN { x" + strings.Repeat("[x", many)},
		{"aggregations", "BEGIN { " + strings.Repeat("@a[", many)},
		{"sizeof", "BEGIN { x = " + strings.Repeat("sizeof ", many) + "1; }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script, errs := parser.Parse(token.NewFile("x.d", tt.src))
			if !errs.Failed() {
				t.Error("no complaint")
			}
			if len(errs) > 3 {
				t.Errorf("%d complaints", len(errs))
			}
			ast.Walk(script, func(ast.Node) bool { return true })
			format.Source(script.File, script)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	f := token.NewFile("bench", golden.Repeat(golden.Inputs(b, "../../testdata/format/*.txtar"), 1000))
	b.SetBytes(int64(len(f.Src)))
	b.ReportAllocs()
	for b.Loop() {
		parser.Parse(f)
	}
}
