package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

// splitHooks has what takes strings and paths to pieces.
func splitHooks(h *hooks) {
	h.str[function.Strtok] = (*fn).strtok
	h.str[function.Cleanpath] = (*fn).cleanpath
	h.str[function.Json] = (*fn).json
}

// tokens returns the memory in which strtok() keeps its string, and before it where
// the search goes on. All clauses of a firing share it.
func (f *fn) tokens() *ir.Value {
	if f.tok == nil {
		f.tok = f.Builder.Alloca(8 + f.strSize() + 8)
	}
	return f.tok
}

// noToken says where the firing begins that strtok() has no string.
func (f *fn) noToken() {
	if f.tok != nil {
		f.Store(f.tok, 0, 8, f.Const(-1))
	}
}

// strtok lowers strtok(s, ends). With NULL it goes on in the string of the call
// before; if there was none in this firing, that is a fault.
func (f *fn) strtok(x *ast.Call) str {
	p := f.tokens()
	goOn := func() { f.fault(f.Op(ir.OpLtS, f.Load(p, 0, 8), f.Const(0)), faultBadAddr, f.Const(0)) }
	begin := func(s str) {
		f.putStr(s, p, 8, f.strSize(), false)
		f.Store(p, 0, 8, f.Const(0))
	}
	switch s := f.settled(x.Args[0]); {
	case s.none:
		goOn()
	case s.null == nil:
		begin(s)
	default:
		null, there, done := f.Block(), f.Block(), f.Block()
		f.Branch(s.null, null, there)
		f.Go(null)
		goOn()
		f.Jump(done)
		f.Go(there)
		begin(s)
		f.Jump(done)
		f.Go(done)
	}
	ends := f.strArg(x, 1)
	dst := f.fresh()
	f.Store(dst, 0, 8, f.Const(0))
	found := f.call("strtok", dst, p, ends)
	s := f.inMemory(dst)
	s.null = f.Op(ir.OpEq, found, f.Const(0))
	return s
}

// cleanpath lowers cleanpath(path).
func (f *fn) cleanpath(x *ast.Call) str {
	dst := f.Alloca(f.strSize() + 8)
	f.run("cleanpath", dst, f.strArg(x, 0))
	f.Store(dst, int64(f.strSize()-1), 1, f.Const(0))
	return f.inMemory(dst)
}
