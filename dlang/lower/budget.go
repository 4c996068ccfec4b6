package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
)

// What lowering makes of a script is not bounded by its length: a function is
// expanded wherever it is called, and a clause belongs to each hook that fires it.
// So the operations are counted. A unit may have four for each instruction that a
// program can have, which is more than the passes ever save of code that does
// something; and a script may have as many as a few hundred megabytes hold.
const (
	mostOfUnit   = 1 << 17
	mostOfScript = 1 << 21
)

// mostCalls is how many calls may be open within one another: as deep as expressions
// may be nested.
const mostCalls = 400

// deep reports whether the call x is one too many, and says so once.
func (f *fn) deep(x *ast.Call) bool {
	if f.spent(x) {
		return true
	}
	if f.calling < mostCalls {
		return false
	}
	f.list.Add(x.Span(), diag.Unsupported, "calls are nested more than %d deep here", mostCalls).
		Suggest("call fewer functions from functions")
	f.given = true
	return true
}

// spent reports whether what is being lowered has become too large, or nobody wants
// it any more, and says so once, at n. Nothing more is made then.
func (f *fn) spent(n ast.Node) bool {
	if f.given {
		return true
	}
	made := f.Fn.Size()
	switch {
	case made > mostOfUnit:
		f.list.Add(n.Span(), diag.Unsupported, "the script becomes too large here: one probe would have to do more than %d things", mostOfUnit).
			Suggest("split it, or call large functions from fewer places")
	case f.earlier+made > mostOfScript:
		f.list.Add(n.Span(), diag.Unsupported, "the script becomes too large here: all its probes would have to do more than %d things", mostOfScript).
			Suggest("name fewer probes, or do less in each")
	case f.target.Stopped != nil && f.target.Stopped():
	default:
		return false
	}
	f.given = true
	return true
}
