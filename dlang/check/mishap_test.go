package check_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A broken is an Env that breaks down when it is asked for probes.
type broken struct{ check.Env }

func (broken) Probes(*ast.ProbeDesc) (check.ProbeSet, error) {
	panic("broken")
}

// A panic is a complaint about the item that was being checked.
func TestMishap(t *testing.T) {
	f := token.NewFile("input", "int x;\nBEGIN { x = 1; }\n")
	tree, _ := parser.Config{}.Parse(f)
	p, list := check.Check(f, tree, broken{}, check.Options{})
	if p == nil || len(list) != 1 || list[0].Code != diag.Internal || !strings.Contains(list[0].Msg, "mishap_test.go:") {
		t.Fatalf("got %v", list)
	}
	if _, line, _ := f.Place(list[0].At.From); line != 2 {
		t.Errorf("line %d, want 2", line)
	}
}
