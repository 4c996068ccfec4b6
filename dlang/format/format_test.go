package format_test

import (
	"bytes"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/format"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// TestArchives formats scripts, and checks that what comes out means the same
// and is formatted already.
func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/format/*.txtar", map[string]func([]byte) []byte{
		"source": func(input []byte) []byte {
			f, script := parse(t, "input", string(input))
			out := format.Source(f, script)
			f2, again := parse(t, "source", out)
			if !ast.Equal(script, again) {
				t.Errorf("the tree has changed:\n%s", golden.Diff(ast.Dump(script), ast.Dump(again)))
			}
			if twice := format.Source(f2, again); twice != out {
				t.Errorf("formatting again changes the text:\n%s", golden.Diff(out, twice))
			}
			if n, m := len(script.Comments), len(again.Comments); n != m {
				t.Errorf("%d comments have become %d", n, m)
			}
			return []byte(out)
		},
	})
}

func parse(t *testing.T, name, src string) (*token.File, *ast.Script) {
	t.Helper()
	f := token.NewFile(name, src)
	script, errs := parser.Parse(f)
	if len(errs) > 0 {
		var b bytes.Buffer
		if err := diag.Print(&b, f, errs); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("the script has mistakes:\n%s", b.String())
	}
	return f, script
}

// TestBroken prints what could not be read as it stands.
func TestBroken(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"BEGIN { x = ; y = 1; }", "BEGIN\n{\n\tx = ;\n\ty = 1;\n}\n"},
		{"BEGIN { goto  x; y = 1; }", "BEGIN\n{\n\tgoto  x;\n\ty = 1;\n}\n"},
		{"{ x = 1 }\nEND { }", "{ x = 1 }\n\nEND\n{\n}\n"},
	} {
		f := token.NewFile("x.d", tt.src)
		script, errs := parser.Parse(f)
		if len(errs) == 0 {
			t.Errorf("%q has no mistakes", tt.src)
		}
		if got := format.Source(f, script); got != tt.want {
			t.Errorf("%q: got\n%s\nwant\n%s", tt.src, got, tt.want)
		}
	}
}
