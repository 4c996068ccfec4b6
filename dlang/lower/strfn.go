package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func stringHooks(h *hooks) {
	h.word[function.Strlen] = (*fn).strlen
	h.word[function.Index] = (*fn).indexOf
	h.word[function.Rindex] = (*fn).rindexOf
	h.word[function.Strtoll] = (*fn).strtoll
	h.word[function.Rand] = func(f *fn, _ *ast.Call) *ir.Value { return f.rand() }
	for size, ids := range map[int][2]function.ID{
		2: {function.Htons, function.Ntohs}, 4: {function.Htonl, function.Ntohl}, 8: {function.Htonll, function.Ntohll},
	} {
		for _, id := range ids {
			h.word[id] = func(f *fn, x *ast.Call) *ir.Value { return f.swap(x, size) }
		}
	}
	h.str[function.Strjoin] = (*fn).strjoin
	h.str[function.Substr] = (*fn).substr
	h.str[function.Basename] = (*fn).basename
	h.str[function.Dirname] = (*fn).dirname
	h.str[function.Lltostr] = (*fn).lltostr
	for _, id := range []function.ID{function.Strchr, function.Strrchr, function.Strstr} {
		h.str[id] = func(f *fn, x *ast.Call) str { return f.suffix(f.found(x, id)) }
	}
	for _, id := range []function.ID{function.Tolower, function.Toupper} {
		h.str[id] = func(f *fn, x *ast.Call) str { return f.letters(x, id.String()) }
	}
}

// faultIllop is the fault of an argument that makes no sense, such as base 1.
const faultIllop = 3

// strArg lowers argument i as a string in memory of the full length.
func (f *fn) strArg(x *ast.Call, i int) *ir.Value { return f.full(f.argStr(x, i), f.strSize()) }

// longArg lowers argument i as a string with 8 readable bytes behind it.
func (f *fn) longArg(x *ast.Call, i int) *ir.Value { return f.full(f.argStr(x, i), f.strSize()+8) }

// argStr lowers argument i as a string, as it is before the arguments behind it.
func (f *fn) argStr(x *ast.Call, i int) str { return f.there(f.before(x.Args[i], x.Args[i+1:]...)) }

// intArg lowers argument i as a 64-bit number.
func (f *fn) intArg(x *ast.Call, i int) *ir.Value { return f.as(x.Args[i], types.Int64) }

// fresh makes memory for a string of the full length.
func (f *fn) fresh() *ir.Value { return f.Alloca(f.strSize()) }

// inMemory describes a string that was made at p, and cuts it where strings end.
func (f *fn) inMemory(p *ir.Value) str {
	if f.uneven() {
		f.cut(p, 0)
	}
	return str{kind: memStr, ptr: p, size: f.strSize()}
}

// bounded moves p by a word that is less than limit.
func (f *fn) bounded(p, w *ir.Value, limit int) *ir.Value {
	return f.Op(ir.OpAdd, p, f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(limit)}, w))
}

// copyStr copies the string at src to dst, where there is room for n bytes.
func (f *fn) copyStr(dst, src *ir.Value, n int) *ir.Value {
	return f.Emit(ir.Value{Op: ir.OpReadStrK, Size: n}, dst, src)
}

// strlen lowers strlen(s); the length of a constant is known.
func (f *fn) strlen(x *ast.Call) *ir.Value {
	s := f.str(x.Args[0])
	if s.kind == constStr {
		return f.Const(int64(len(s.text)))
	}
	return f.call("strlen", f.full(s, f.strSize()))
}

// strjoin lowers strjoin(a, b): b is copied over the terminator of a.
func (f *fn) strjoin(x *ast.Call) str {
	n := f.strSize()
	a, b := f.there(f.settled(x.Args[0], x.Args[1])), f.str(x.Args[1])
	if a.kind == constStr && b.kind == constStr {
		return f.constant(a.text + b.text)
	}
	pa, pb := f.full(a, n), f.full(b, n)
	dst := f.Alloca(2 * n)
	end := f.Const(int64(len(a.text)))
	got := f.copyStr(dst, pa, n)
	if a.kind != constStr {
		end = f.Op(ir.OpSub, got, f.Const(1))
	}
	f.copyStr(f.bounded(dst, end, n), pb, n)
	f.Store(dst, int64(n-1), 1, f.Const(0))
	return f.inMemory(dst)
}

// suffix is the string at p from a place on, or NULL if the place is -1.
func (f *fn) suffix(p, place *ir.Value) str {
	dst := f.fresh()
	none, some, done := f.Block(), f.Block(), f.Block()
	missing := f.Op(ir.OpLtS, place, f.Const(0))
	f.Branch(missing, none, some)
	f.Go(none)
	f.Store(dst, 0, 8, f.Const(0))
	f.Jump(done)
	f.Go(some)
	f.copyStr(dst, f.bounded(p, place, f.strSize()), f.strSize())
	f.Jump(done)
	f.Go(done)
	s := f.inMemory(dst)
	s.null = missing
	return s
}

// found returns the string in which strchr(s, c), strrchr(s, c) or strstr(s, part) look, and
// the place that they find in it, which is negative if there is none. The runtime has the
// first two by their names.
func (f *fn) found(x *ast.Call, id function.ID) (p, place *ir.Value) {
	if id == function.Strstr {
		p, part := f.longArg(x, 0), f.longArg(x, 1)
		return p, f.find(p, part, f.Const(0))
	}
	p = f.strArg(x, 0)
	return p, f.call(id.String(), p, f.intArg(x, 1))
}

// missing returns a word that is not 0 if x, which looks for something in a string, finds
// nothing. What it finds is not made. It returns nil if x does not look for anything.
func (f *fn) missing(x ast.Expr) *ir.Value {
	call, ok := f.prog.Means.Unparen(x).(*ast.Call)
	if !ok {
		return nil
	}
	switch _, id := f.called(call); id {
	case function.Strchr, function.Strrchr, function.Strstr:
		_, place := f.found(call, id)
		return f.Op(ir.OpLtS, place, f.Const(0))
	}
	return nil
}

// find looks for part in the string at p, from a place on. The empty string is
// in every string, the empty one included.
func (f *fn) find(p, part, from *ir.Value) *ir.Value {
	empty, search, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpOr, f.Load(p, 0, 1), f.Load(part, 0, 1)), search, empty)
	f.Go(empty)
	zero := f.Const(0)
	f.Jump(done)
	f.Go(search)
	found := f.search("find", p, part, from)
	f.Jump(done)
	f.Go(done)
	return f.Phi(zero, found)
}

// indexOf lowers index(s, part[, from]). A place before the string is its start.
// From its end on there is nothing but the empty string, which is at the end.
func (f *fn) indexOf(x *ast.Call) *ir.Value {
	p, part := f.longArg(x, 0), f.longArg(x, 1)
	if len(x.Args) < 3 {
		return f.find(p, part, f.Const(0))
	}
	from := f.clampLow(f.intArg(x, 2))
	length := f.call("strlen", p)
	beyond, within, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLeS, length, from), beyond, within)
	f.Go(beyond)
	nothing := f.choose(f.Load(part, 0, 1), f.Const(-1), length)
	f.Jump(done)
	f.Go(within)
	found := f.find(p, part, from)
	f.Jump(done)
	f.Go(done)
	return f.Phi(nothing, found)
}

// rindexOf lowers rindex(s, part[, from]). A place before the string has nothing
// before it but the empty string; one behind the end is the end.
func (f *fn) rindexOf(x *ast.Call) *ir.Value {
	p, part := f.longArg(x, 0), f.longArg(x, 1)
	length := f.call("strlen", p)
	if len(x.Args) < 3 {
		return f.search("rfind", p, part, length)
	}
	from := f.intArg(x, 2)
	before, within, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpLtS, from, f.Const(0)), before, within)
	f.Go(before)
	nothing := f.choose(f.Load(part, 0, 1), f.Const(-1), f.Const(0))
	f.Jump(done)
	f.Go(within)
	from = f.choose(f.Op(ir.OpLtS, length, from), length, from)
	found := f.search("rfind", p, part, from)
	f.Jump(done)
	f.Go(done)
	return f.Phi(nothing, found)
}

// choose is a if c is not 0, else b.
func (f *fn) choose(c, a, b *ir.Value) *ir.Value {
	yes, no, done := f.Block(), f.Block(), f.Block()
	f.Branch(c, yes, no)
	f.Go(yes)
	f.Jump(done)
	f.Go(no)
	f.Jump(done)
	f.Go(done)
	return f.Phi(a, b)
}

// clampLow is w, or 0 if w is negative.
func (f *fn) clampLow(w *ir.Value) *ir.Value {
	return f.choose(f.Op(ir.OpLtS, w, f.Const(0)), f.Const(0), w)
}

// substr lowers substr(s, from[, count]), by DTrace's rules: a negative place
// counts from the end, and if that is before the start, what is missing is taken
// off the count; a negative count leaves so many characters at the end.
func (f *fn) substr(x *ast.Call) str {
	n := f.strSize()
	p := f.strArg(x, 0)
	length := f.call("strlen", p)
	from, count := f.intArg(x, 1), f.Const(int64(n))
	if len(x.Args) > 2 {
		count = f.intArg(x, 2)
	}
	zero := f.Const(0)
	fromEnd := f.choose(f.Op(ir.OpLtS, from, zero), f.Op(ir.OpAdd, from, length), from)
	// What is left of the count if it reaches beyond the start.
	early := f.Op(ir.OpLtS, fromEnd, zero)
	left := f.Op(ir.OpAdd, fromEnd, count)
	saved := f.Op(ir.OpAnd, early, f.Op(ir.OpLtS, zero, left))
	count = f.choose(saved, left, count)
	start := f.choose(saved, zero, fromEnd)

	outside := f.Op(ir.OpOr, f.Op(ir.OpLeS, length, start), f.Op(ir.OpLtS, start, zero))
	rest := f.Op(ir.OpAdd, count, f.Op(ir.OpSub, length, start))
	count = f.choose(f.Op(ir.OpLtS, count, zero), rest, count)
	count = f.choose(outside, zero, f.clampLow(count))

	dst := f.fresh()
	f.copyStr(dst, f.bounded(p, f.choose(outside, zero, start), n), n)
	f.Store(f.bounded(dst, count, n), 0, 1, zero)
	return f.inMemory(dst)
}

// letters lowers tolower(s) and toupper(s), which the runtime has by their names.
func (f *fn) letters(x *ast.Call, sub string) str {
	dst := f.fresh()
	f.run(sub, dst, f.strArg(x, 0))
	return f.inMemory(dst)
}

// pathParts finds the last part of a path: where it starts and ends, and where
// the part before it ends. whole is the path if it has no parts: "/" or ".".
func (f *fn) pathParts(p *ir.Value) (start, end, before, whole *ir.Value) {
	parts := f.Alloca(24)
	f.run("pathparts", p, parts)
	slash := f.Op(ir.OpEq, f.Load(p, 0, 1), f.Const('/'))
	whole = f.choose(slash, f.Const('/'), f.Const('.'))
	return f.Load(parts, 0, 8), f.Load(parts, 8, 8), f.Load(parts, 16, 8), whole
}

// basename lowers basename(path): its last part.
func (f *fn) basename(x *ast.Call) str {
	p := f.strArg(x, 0)
	start, end, _, whole := f.pathParts(p)
	return f.pathStr(p, end, whole, start, f.Op(ir.OpSub, end, start))
}

// dirname lowers dirname(path): the path up to the part before the last.
func (f *fn) dirname(x *ast.Call) str { return f.dirOf(f.strArg(x, 0)) }

// dirOf is the directory of the path at p.
func (f *fn) dirOf(p *ir.Value) str {
	_, _, before, whole := f.pathParts(p)
	return f.pathStr(p, before, whole, f.Const(0), before)
}

// pathStr is count characters of p from start, or the one character whole if
// there is nothing.
func (f *fn) pathStr(p, there, whole, start, count *ir.Value) str {
	n := f.strSize()
	dst := f.fresh()
	some, none, done := f.Block(), f.Block(), f.Block()
	f.Branch(there, some, none)
	f.Go(some)
	f.copyStr(dst, f.bounded(p, start, n), n)
	f.Store(f.bounded(dst, count, n), 0, 1, f.Const(0))
	f.Jump(done)
	f.Go(none)
	f.Store(dst, 0, 8, whole)
	f.Jump(done)
	f.Go(done)
	return f.inMemory(dst)
}

// base lowers the base of a conversion, which must lie between 2 and 36.
func (f *fn) base(x *ast.Call) *ir.Value {
	if len(x.Args) < 2 {
		return f.Const(10)
	}
	b := f.intArg(x, 1)
	if n, ok := f.prog.Consts[x.Args[1]]; ok && 2 <= n && n <= 36 {
		return b
	}
	f.fault(f.Op(ir.OpLtU, f.Const(34), f.Op(ir.OpSub, b, f.Const(2))), faultIllop, b)
	return b
}

// lltostr lowers lltostr(n[, base]).
func (f *fn) lltostr(x *ast.Call) str {
	const digits = 72 // 64 of base 2 with what stands before them, a multiple of 8
	n := f.intArg(x, 0)
	dst := f.Alloca(digits)
	f.run("lltostr", dst, n, f.base(x))
	if f.strLimit() < digits {
		f.Store(dst, int64(f.strLimit()-1), 1, f.Const(0))
		return str{kind: memStr, ptr: dst, size: f.strSize()}
	}
	return str{kind: memStr, ptr: dst, size: digits}
}

// strtoll lowers strtoll(s[, base]).
func (f *fn) strtoll(x *ast.Call) *ir.Value {
	p := f.longArg(x, 0)
	return f.call("strtoll", p, f.base(x))
}

// swap lowers htonl() and its kin: the bytes of a number in the other order.
func (f *fn) swap(x *ast.Call, size int) *ir.Value {
	return f.swapped(f.intArg(x, 0), size)
}

// swapped is the low size bytes of w in the other order.
func (f *fn) swapped(w *ir.Value, size int) *ir.Value {
	var out *ir.Value
	for i := range size {
		b := f.Op(ir.OpAnd, f.Op(ir.OpShrL, w, f.Const(int64(8*i))), f.Const(0xff))
		b = f.Op(ir.OpShl, b, f.Const(int64(8*(size-1-i))))
		if out != nil {
			b = f.Op(ir.OpOr, out, b)
		}
		out = b
	}
	return out
}

// rand lowers rand(). Each call in the script has its own number.
func (f *fn) rand() *ir.Value {
	f.calls++
	w := f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: f.calls, Aux: ir.Sym("rand")})
	return f.extend(w, types.IntType)
}
