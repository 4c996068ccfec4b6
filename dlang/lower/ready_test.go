package lower_test

import (
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// checked checks a script, which must be right.
func checked(t testing.TB, text string, opts check.Options) *check.Program {
	t.Helper()
	f := token.NewFile("input", text)
	tree, list := parser.Parse(f)
	p, more := check.Check(f, tree, gen.NewEnv(), opts)
	if list = append(list, more...); list.Failed() {
		t.Fatalf("%s: %s", text, list[0].Msg)
	}
	return p
}

// optimised lowers units of a script, which must not be refused.
func optimised(t testing.TB, p *check.Program, units []lower.Unit, level int) *lower.Result {
	t.Helper()
	res, list := lower.Lower(p, units, gen.NewEnv().Target(), gen.Options())
	if list.Failed() {
		t.Fatalf("%s: %s", p.File.Src, list[0].Msg)
	}
	for _, fn := range res.IR.Funcs {
		if err := ir.Optimize(fn, level, nil); err != nil {
			t.Fatal(err)
		}
	}
	return res
}

// fire runs all programs of a script once.
func fire(t testing.TB, res *lower.Result, firing *interp.Firing) *interp.Machine {
	t.Helper()
	m := interp.New(res.IR)
	for _, fn := range res.IR.Funcs {
		if fn.Unit < 0 {
			continue
		}
		if err := m.Run(fn, firing); err != nil {
			t.Fatalf("%v\n%s", err, fn)
		}
	}
	return m
}
