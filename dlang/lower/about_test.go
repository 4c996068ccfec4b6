package lower_test

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// TestAbout asks that a function whose code looks into the kernel or into the process, or does
// something to that, has a row that says so: by that it is told to who may not. It may follow
// what it is given. What reads structures that the made-up kernel of these tests lacks cannot be
// asked.
func TestAbout(t *testing.T) {
	asked := 0
	for f := range function.All() {
		if f.Why != "" || f.About != function.Nothing {
			continue
		}
		for _, probe := range []string{"read:entry", "BEGIN", "exec"} { // the last two in no process of the asker's
			p, list := callAt(probe, f)
			if list.Failed() {
				t.Logf("%s is not asked: %s", f.Name, list[0].Msg)
				break
			}
			asked++
			_, list = lowerFor(p, &lower.Seal{OwnOnly: true, User: 1000, Group: 1000})
			for _, d := range list {
				if d.Code == diag.Denied {
					t.Errorf("%s at %s: %s; and its row is about nothing", f.Name, probe, d.Msg)
				}
			}
			res, _ := lowerFor(p, nil)
			given := slices.Contains(f.Params, function.Addr) || slices.Contains(f.Params, function.Pointer)
			if what := looksInto(res); what != "" && !given {
				t.Errorf("%s at %s reads %s, and its row is about nothing", f.Name, probe, what)
			}
		}
	}
	if asked < 3*45 {
		t.Errorf("only %d functions were asked", asked/3)
	}
}

// callAt checks a clause that calls a function, with arguments that tell of nothing.
func callAt(probe string, f *function.Function) (*check.Program, diag.List) {
	var args []string
	for i, want := range f.Params[:f.Min] {
		arg := map[function.Want]string{function.String: `"a"`, function.Agg: "@", function.Pointer: "(void *)4096"}[want]
		switch {
		case f.To > 0 && i == f.To:
			arg = "alloca(8)"
		case f.ID == function.Printa:
			arg = "@"
		case f.ID == function.Print:
			arg = "this->v"
		case arg == "":
			arg = "4"
		}
		args = append(args, arg)
	}
	call := f.Name + "(" + strings.Join(args, ", ") + ")"
	if !f.Action && f.Result != nil {
		call = "this->r = " + call
	}
	file := token.NewFile("input", probe+" { this->v = 1; @ = count(); } "+probe+" { "+call+"; }")
	tree, list := parser.Parse(file)
	p, more := check.Check(file, tree, gen.NewEnv(), check.Options{Destructive: true})
	return p, append(list, more...)
}

// looksInto says what a script reads that it was not given.
func looksInto(res *lower.Result) string {
	for _, f := range res.IR.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				switch v.Op {
				case ir.OpReadK, ir.OpReadKN, ir.OpReadStrK:
					if v.Args[1].Type() != ir.Ptr {
						return "memory of the kernel"
					}
				case ir.OpReadU, ir.OpReadUN, ir.OpReadStrU:
					return "memory of the process"
				case ir.OpStack, ir.OpStackID:
					return "a stack"
				}
			}
		}
	}
	return ""
}
