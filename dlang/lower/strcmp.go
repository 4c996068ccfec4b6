package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/token"
)

// maxInline is how many words of a constant are compared in place.
const maxInline = 4

// compareStr lowers a comparison of strings.
func (f *fn) compareStr(x *ast.Binary) *ir.Value {
	if where := f.whetherFound(x); where != nil {
		return where
	}
	a, b := f.settled(x.X, x.Y), f.settled(x.Y)
	if x.Op == token.Eq || x.Op == token.Ne {
		if null := f.nullTest(x, a, b); null != nil {
			return null
		}
		if same := f.sameStr(a, b); same != nil {
			if a.null != nil || b.null != nil {
				same = f.Op(ir.OpAnd, f.Op(ir.OpNe, same, f.Const(0)), f.Op(ir.OpEq, f.nullness(a), f.nullness(b)))
			}
			if x.Op == token.Ne {
				return f.Op(ir.OpEq, same, f.Const(0))
			}
			return same
		}
	}
	order := f.strcmp(a, b)
	if a.null != nil || b.null != nil {
		order = f.Op(ir.OpOr, order, f.Op(ir.OpSub, f.nullness(b), f.nullness(a))) // NULL comes before ""
	}
	return f.relation(x.Op, order, f.Const(0), true)
}

// strcmp compares two strings as C's strcmp does.
func (f *fn) strcmp(a, b str) *ir.Value {
	n := f.strSize()
	return f.call("strcmp", f.full(a, n), f.full(b, n))
}

// sameStr returns a word that is not 0 if a and b are equal, found without a
// loop, or nil if that cannot be done.
func (f *fn) sameStr(a, b str) *ir.Value {
	if b.kind != constStr {
		a, b = b, a
	}
	switch {
	case a.kind == constStr && b.kind == constStr:
		return f.Const(truth(a.text == b.text))
	case a.kind == commStr && b.kind == commStr, a.kind == probeStr && b.kind == probeStr && a.part == b.part:
		return f.Const(1)
	case b.kind != constStr:
		return nil
	case a.kind == probeStr:
		return f.probeIs(a.part, b.text)
	case len(b.text)+1 > a.size:
		return f.Const(0)
	case b.size > 8*maxInline:
		return nil
	case a.kind == commStr && f.strLimit() >= commSize:
		return f.commIs(b.text)
	}
	a = f.memory(a)
	return f.sameWords(b.text, func(i int) *ir.Value { return f.Load(a.ptr, a.off+int64(8*i), 8) })
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// commIs compares the name of the process with text. As the kernel pads the name,
// what lies behind the terminator is known to be zero, and half a word will do for
// the end of a short text.
func (f *fn) commIs(text string) *ir.Value {
	off, _ := f.target.Offset(linux.TaskComm)
	var all *ir.Value
	for i, want := range constWords(text) {
		size := 8
		if len(text)+1-8*i <= 4 {
			size = 4
		}
		got := f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: off + int64(8*i), Size: size}, f.Op(ir.OpTask))
		if len(text) < 8 {
			return f.Op(ir.OpEq, got, f.Const(want))
		}
		diff := f.Op(ir.OpXor, got, f.Const(want))
		if all != nil {
			diff = f.Op(ir.OpOr, all, diff)
		}
		all = diff
	}
	return f.Op(ir.OpEq, all, f.Const(0))
}

// sameWords compares words of memory with the bytes of text and its terminator.
// What lies behind the terminator does not count.
func (f *fn) sameWords(text string, word func(i int) *ir.Value) *ir.Value {
	words := constWords(text)
	var all *ir.Value
	for i, want := range words {
		got := word(i)
		if n := len(text) + 1 - 8*i; n < 8 {
			got = f.Op(ir.OpAnd, got, f.Const(1<<(8*n)-1))
		}
		if len(words) == 1 {
			return f.Op(ir.OpEq, got, f.Const(want))
		}
		diff := f.Op(ir.OpXor, got, f.Const(want))
		if all != nil {
			diff = f.Op(ir.OpOr, all, diff)
		}
		all = diff
	}
	return f.Op(ir.OpEq, all, f.Const(0))
}

// probeIs compares a part of the probe's name with text: the sites of the unit
// for which it holds are known now.
func (f *fn) probeIs(part int, text string) *ir.Value {
	var keys ir.KeySet
	for _, s := range f.unit.Sites {
		if name := s.part(part); name[:min(len(name), f.strLimit()-1)] == text {
			keys = append(keys, s.Key)
		}
	}
	switch len(keys) {
	case 0:
		if f.unit.Open {
			return f.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{f.unit.Sites[0].Key}})
		}
		return f.Const(0)
	case len(f.unit.Sites):
		if f.unit.Open {
			return f.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{f.unit.Sites[0].Key}})
		}
		return f.Const(1)
	}
	return f.Emit(ir.Value{Op: ir.OpKeyIn, Aux: keys})
}

// part returns a part of the name of s.
func (s Site) part(i int) string {
	return [...]string{s.Provider, s.Module, s.Function, s.Name}[i]
}
