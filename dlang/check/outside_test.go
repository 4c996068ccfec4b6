package check_test

import (
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
)

func TestUses(t *testing.T) {
	p, _ := checkText([]byte("// options: -w\nBEGIN { system(\"ls\"); this->s = strjoin(\"a\", execname); }"))
	for name, want := range map[function.ID]bool{function.System: true, function.Strjoin: true, function.Printf: false, function.Raise: false} {
		if got := p.Uses(name); got != want {
			t.Errorf("Uses(%s) is %v", name, got)
		}
	}
}

func TestPrinted(t *testing.T) {
	p, list := checkText([]byte("BEGIN { print(curthread); print(*curthread); print(&curthread->comm); }"))
	if list.Failed() {
		t.Fatal(list)
	}
	want := []string{"struct task_struct", "struct task_struct", "char [16]"}
	for i, s := range p.Clauses[0].AST.Body.Stmts {
		call := ast.Unparen(s.(*ast.ExprStmt).X).(*ast.Call)
		if got := p.Printed(call.Args[0]).String(); got != want[i] {
			t.Errorf("statement %d prints %s, want %s", i, got, want[i])
		}
	}
}
