package diag

import (
	"testing"

	"dscope.dev/dlang/token"
)

// TestFullList fills a list with warnings: the error that comes after them is
// not lost, and a list of errors grows no more.
func TestFullList(t *testing.T) {
	var l List
	for range Max {
		l.Add(token.Span{}, NullExpr, "no effect").Severity = Warning
	}
	if l.Failed() {
		t.Fatal("warnings alone fail")
	}
	l.Add(token.Span{}, Syntax, "an error")
	if !l.Failed() || len(l) != Max {
		t.Errorf("after an error: failed %v, %d complaints, want %d", l.Failed(), len(l), Max)
	}
	for range 2 * Max {
		l.Add(token.Span{}, Syntax, "an error")
	}
	if len(l) != Max {
		t.Errorf("%d complaints, want %d", len(l), Max)
	}
}
