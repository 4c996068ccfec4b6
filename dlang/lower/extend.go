package lower

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
)

// begin settles what all units share: variables, aggregations and their keys.
func (l *lowerer) begin(units []Unit) {
	l.res.Sizes = make([]float64, len(units))
	l.errorExits = l.callsExit(units)
	l.findAddressed()
	l.findNullable()
	l.findThreads()
	l.findLasting()
	l.storage(units)
	l.makeSpecTable()
}

// Extend makes the intermediate form of units that a script gets while it runs:
// those from number from on; those before it are the ones that prev was made of. What
// it returns has functions for the new ones, and for ERROR, which is part of every
// program. Their records are numbered after those of prev, whose layouts stand before
// theirs. Variables and aggregations are those of prev: it is an error if they would
// not be.
func Extend(prev *Result, p *check.Program, units []Unit, from int, target Target, opts ir.Options) (res *Result, list diag.List, err error) {
	l := newLowerer(p, target, opts)
	defer l.recovered(&list)
	l.out.Records, l.res.Layouts = slices.Clone(prev.IR.Records), slices.Clone(prev.Layouts)
	maps.Copy(l.res.ActionsAt, prev.ActionsAt)
	l.begin(units)
	for i := range units {
		if i >= from || units[i].Special == "ERROR" {
			l.unit(i, &units[i])
		}
	}
	l.link()
	l.list.Sort()
	if !reflect.DeepEqual(l.out.Vars, prev.IR.Vars) || !reflect.DeepEqual(l.out.Aggs, prev.IR.Aggs) {
		return nil, l.list, fmt.Errorf("internal error: the variables of %d units differ from those of %d", len(units), from)
	}
	return l.res, l.list, nil
}

// except ends the program in processes with one of the numbers in list, which ascend.
func (f *fn) except(pid *ir.Value, list []int64) {
	if len(list) == 0 {
		return
	}
	half := len(list) / 2
	found, other, on := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpEq, pid, f.Const(list[half])), found, other)
	f.Go(found)
	f.Return()
	f.Go(other)
	if len(list) == 1 {
		f.Jump(on)
		f.Go(on)
		return
	}
	below, above := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLtS, pid, f.Const(list[half])), below, above)
	f.Go(below)
	f.except(pid, list[:half])
	f.Jump(on)
	f.Go(above)
	f.except(pid, list[half+1:])
	f.Jump(on)
	f.Go(on)
}
