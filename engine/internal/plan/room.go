package plan

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
)

// Keys count for what DTrace counts, in which every string has strsize bytes, so
// that aggsize and dynvarsize say as much here as there. What keys really take is
// less, and is the code generator's own affair.

// AggRoom returns what the key of each aggregation counts for.
func AggRoom(l *lower.Result, strsize int) []int {
	var list []int
	for _, k := range l.Keys {
		n := 0
		for _, d := range k.Data {
			if d.Enc == lower.EncString || d.Enc == lower.EncProbe {
				n += strsize
			} else {
				n += d.Size
			}
		}
		list = append(list, n)
	}
	return list
}

// assocRoom returns what the key of each variable counts for that has storage,
// in the order in which lowering lists them.
func assocRoom(p *check.Program, strsize int) []int {
	var list []int
	for _, v := range p.Vars {
		if v.Scope == ast.This {
			continue
		}
		n := 0
		for _, k := range v.Keys {
			if types.IsString(k) {
				n += strsize
			} else {
				n += max(k.Size(), 8)
			}
		}
		list = append(list, n)
	}
	return list
}
