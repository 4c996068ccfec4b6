package check_test

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A counting is an Env that has nothing, and counts what it is asked for.
type counting struct {
	check.Env
	asked *int
	err   error
}

func (c counting) Probes(*ast.ProbeDesc) (check.ProbeSet, error) {
	*c.asked++
	return check.ProbeSet{}, c.err
}

func (c counting) Symbol(string, string) (check.Symbol, error) {
	*c.asked++
	return check.Symbol{}, check.ErrNoSymbol
}

// TestEnough checks scripts in which nothing is right. What is asked does not grow with
// their length: once the list of complaints is full, or the Env has had enough, nothing
// more is looked for.
func TestEnough(t *testing.T) {
	many := func(format, join string) string {
		var list []string
		for i := range 20_000 {
			list = append(list, fmt.Sprintf(format, i))
		}
		return strings.Join(list, join)
	}
	for _, tt := range []struct {
		name, text string
		err        error
		most       int // questions
		want       int // complaints
	}{
		{"clauses", many("nope%d:::{}", "\n"), check.ErrNoProbe, 2 * diag.Max, diag.Max},
		{"descriptions", many("nope%d:::", ",") + "{}", check.ErrNoProbe, 2 * diag.Max, diag.Max},
		{"names", "BEGIN {" + many("zz%d;", "") + "}", nil, 8 * diag.Max, diag.Max},
		{"clauses, too many", many("nope%d:::{}", "\n"), check.ErrTooMuch, 1, 1},
		{"descriptions, too many", many("nope%d:::", ",") + "{}", check.ErrTooMuch, 1, 1},
	} {
		asked := 0
		f := token.NewFile("input", tt.text)
		tree, list := parser.Config{}.Parse(f)
		if list.Failed() {
			t.Fatalf("%s: %v", tt.name, list[0])
		}
		_, list = check.Check(f, tree, counting{gen.NewEnv(), &asked, tt.err}, check.Options{})
		errs := 0
		for _, d := range list {
			if d.Severity == diag.Error {
				errs++
			}
		}
		if errs != tt.want || asked > tt.most {
			t.Errorf("%s: %d complaints and %d questions, want %d and at most %d", tt.name, errs, asked, tt.want, tt.most)
		}
	}
}
