package lower_test

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// TestExtend holds that units which are added later are what they would have been from
// the beginning, but for the numbers of their records.
func TestExtend(t *testing.T) {
	p := checked(t, `
BEGIN { n = 0; }
syscall::read:entry { self->at = timestamp; n++; @[probefunc, execname] = count(); trace(arg0); }
syscall::read:return /self->at/ { @t[pid] = quantize(timestamp - self->at); printf("%s %d", execname, 10 / arg1); }
ERROR { trace("fault"); }
`, check.Options{})
	env := gen.NewEnv()
	units := gen.Units(p)
	whole, list := lower.Lower(p, units, env.Target(), gen.Options())
	if list.Failed() {
		t.Fatal(list)
	}
	last := len(units) - 1
	for last > 0 && units[last].Special != "" {
		last--
	}
	units[last], units[len(units)-1] = units[len(units)-1], units[last]
	first, _ := lower.Lower(p, units[:len(units)-1], env.Target(), gen.Options())
	got, list, err := lower.Extend(first, p, units, len(units)-1, env.Target(), gen.Options())
	if err != nil || list.Failed() {
		t.Fatal(err, list)
	}
	if !reflect.DeepEqual(got.IR.Records[:len(first.IR.Records)], first.IR.Records) || len(got.Layouts) != len(got.IR.Records) {
		t.Errorf("records\n%+v\nbegin not with\n%+v", got.IR.Records, first.IR.Records)
	}
	added := map[int]bool{}
	for _, fn := range got.IR.Funcs {
		if fn.Unit >= 0 {
			added[fn.Unit] = true
		}
	}
	for unit := range added {
		if unit != len(units)-1 && units[unit].Special != "ERROR" {
			t.Errorf("unit %d is made again", unit)
		}
	}
	body := func(r *lower.Result, name string) string {
		for _, fn := range r.IR.Funcs {
			if fn.Name == name {
				return numbers(fn)
			}
		}
		return "none"
	}
	name := units[len(units)-1].Name
	if a, b := body(got, name), body(whole, name); a != b || a == "none" {
		t.Errorf("added later it is\n%s\nand from the beginning\n%s", a, b)
	}
	got.IR.Vars = nil
	if _, _, err := lower.Extend(got, p, units, len(units)-1, env.Target(), gen.Options()); err == nil {
		t.Error("other variables are taken")
	}
}

// TestExtendSpeculation adds the only unit that speculates: the table of speculations
// is a variable of the script from the beginning.
func TestExtendSpeculation(t *testing.T) {
	p := checked(t, `
BEGIN { n = 0; }
syscall::write:entry { self->s = speculation(); speculate(self->s); trace(arg0); }
syscall::write:entry { commit(self->s); }
`, check.Options{})
	env := gen.NewEnv()
	units := gen.Units(p)
	slices.SortStableFunc(units, func(a, b lower.Unit) int { return cmp.Compare(speculates(a), speculates(b)) })
	last := len(units) - 1
	if last == 0 || speculates(units[last]) == 0 || speculates(units[last-1]) > 0 {
		t.Fatal("not one unit of several speculates")
	}
	first, list := lower.Lower(p, units[:last], env.Target(), gen.Options())
	if list.Failed() {
		t.Fatal(list)
	}
	got, list, err := lower.Extend(first, p, units, last, env.Target(), gen.Options())
	if err != nil || list.Failed() {
		t.Fatal(err, list)
	}
	if !slices.ContainsFunc(got.IR.Vars, func(v ir.Var) bool { return v.Name == "speculations" }) {
		t.Error("there is no table of speculations")
	}
}

// speculates counts the clauses of a unit that belong to the write that speculates.
func speculates(u lower.Unit) int {
	n := 0
	for _, c := range u.Clauses {
		if c.Clause.AST.Probes[0].Function == "write" {
			n++
		}
	}
	return n
}

// numbers prints a function without the numbers of units, records and clauses' keys,
// which depend on the units before it.
func numbers(fn *ir.Func) string {
	var b strings.Builder
	for _, block := range fn.Blocks {
		for _, v := range block.Vals {
			b.WriteString(v.Op.String())
			b.WriteByte('\n')
		}
	}
	return b.String()
}
