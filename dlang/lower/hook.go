package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

// The ways in which a call is lowered.
type (
	wordFunc   func(f *fn, x *ast.Call) *ir.Value            // gives a word, or does something
	strFunc    func(f *fn, x *ast.Call) str                  // gives a string
	actionFunc func(f *fn, x *ast.Call, c *check.Call)       // records, or acts in the reader
	bareFunc   func(f *fn, x *ast.Call)                      // an action that leaves no record of the clause
	datumFunc  func(f *fn, x *ast.Call, c *check.Call) Datum // records what a conversion of printf shows
	updateFunc func(u update, val, incr *ir.Value)           // puts a value into a cell
	findFunc   func(u update, val *ir.Value) *ir.Value       // finds the word of a histogram that counts a value
)

// hooks are the lowerings of D's functions. The file that has a lowering puts it
// here; TestHooks asks that each function has the one that its row calls for.
type hooks struct {
	word   [function.Count]wordFunc
	str    [function.Count]strFunc
	act    [function.Count]actionFunc
	bare   [function.Count]bareFunc
	datum  [function.Count]datumFunc
	update [function.AggCount]updateFunc
	find   [function.AggCount]findFunc
}

func newHooks() *hooks {
	h := &hooks{}
	for _, fill := range []func(*hooks){
		recordingHooks, outsideHooks, specHooks, scratchHooks, stringHooks, splitHooks,
		pathHooks, netHooks, lockHooks, copyoutHooks, aggHooks, bucketHooks,
	} {
		fill(h)
	}
	return h
}

// called returns what x calls: a function of the script, or one of D.
func (l *lowerer) called(x *ast.Call) (*check.Func, function.ID) {
	switch c := l.prog.Calls[x]; {
	case c != nil && c.User != nil:
		return c.User, function.None
	case c != nil && c.Fn != nil:
		return nil, c.Fn.ID
	}
	return nil, function.Find(x.Fn.Text).ID
}

// isCall reports whether x calls a function of D.
func (l *lowerer) isCall(x ast.Expr, id function.ID) bool {
	call, ok := l.prog.Means.Unparen(x).(*ast.Call)
	if !ok {
		return false
	}
	c := l.prog.Calls[call]
	return c != nil && c.Fn != nil && c.Fn.ID == id
}
