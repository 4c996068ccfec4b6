package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func recordingHooks(h *hooks) {
	h.act[function.Trace] = (*fn).trace
	h.act[function.Tracemem] = (*fn).tracemem
	h.act[function.Printf] = (*fn).printf
	h.act[function.Printa] = aggAction(ActPrinta)
	h.act[function.Clear] = aggAction(ActClear)
	h.act[function.Trunc] = aggAction(ActTrunc)
	h.act[function.Normalize] = aggAction(ActNormalize)
	h.act[function.Denormalize] = aggAction(ActDenormalize)
	h.act[function.Setopt] = (*fn).setopt
	h.act[function.Exit] = (*fn).exit
	for _, r := range []struct {
		ids   []function.ID
		kind  ActionKind
		datum datumFunc
	}{
		{[]function.ID{function.Stack}, ActStack, (*fn).stack},
		{[]function.ID{function.Ustack, function.Jstack}, ActUstack, (*fn).ustack},
		{[]function.ID{function.Sym, function.Func, function.Mod}, ActSym, (*fn).kernelSym},
		{[]function.ID{function.Usym, function.Ufunc, function.Umod, function.Uaddr}, ActSym, (*fn).userSym},
	} {
		for _, id := range r.ids {
			h.datum[id] = r.datum
			h.act[id] = func(f *fn, x *ast.Call, c *check.Call) { f.act(r.kind, c, r.datum(f, x, c)) }
		}
	}
}

// callEffect lowers a call that is a statement.
func (f *fn) callEffect(x *ast.Call) {
	c := f.prog.Calls[x]
	if c != nil && c.User != nil {
		f.expand(x, c.User)
		return
	}
	if c == nil || c.Fn == nil {
		f.errorf(x, "%s() is not supported yet", x.Fn.Text)
		return
	}
	if !c.Fn.Action {
		f.discardCall(x)
		return
	}
	if do := f.hooks.bare[c.Fn.ID]; do != nil {
		do(f, x)
		return
	}
	act := f.hooks.act[c.Fn.ID]
	if act == nil || f.rec == nil {
		f.errorf(x, "%s() is not supported here", c.Fn.Name)
		return
	}
	act(f, x, c)
}

// discardCall lowers a call of a subroutine whose value is not wanted.
func (f *fn) discardCall(x *ast.Call) {
	if isStr(f.typeOf(x)) {
		f.memory(f.anyStr(x))
		return
	}
	f.callWord(x)
}

// act appends an action to the layout.
func (f *fn) act(kind ActionKind, c *check.Call, data ...Datum) {
	l := &f.res.Layouts[f.record]
	l.Actions = append(l.Actions, Action{Kind: kind, Call: c, Data: data, Flag: f.reached()})
	r := &f.out.Records[f.record]
	for _, d := range data {
		if d.Enc != EncProbe {
			r.Fields = append(r.Fields, ir.RecordField{Off: d.Off, Size: d.Size})
		}
	}
}

// room reserves size bytes of the record, aligned as their size wants.
func (f *fn) room(size int) int {
	r := &f.out.Records[f.record]
	align := 8
	for align > 1 && size%align != 0 {
		align /= 2
	}
	off := (r.Size + align - 1) &^ (align - 1)
	r.Size = off + size
	return off
}

// datum records the value of x.
func (f *fn) datum(x ast.Expr) Datum {
	t := f.typeOf(x)
	switch types.Resolve(t).(type) {
	case *types.Struct, *types.Float:
		return f.bytesDatum(x, t)
	case *types.Array:
		if !types.IsCharArray(t) {
			return f.bytesDatum(x, t)
		}
	}
	if isStr(t) {
		return f.strDatum(x, t)
	}
	return f.wordDatum(f.word(x), types.Decay(t))
}

func (f *fn) wordDatum(w *ir.Value, t types.Type) Datum {
	size := t.Size()
	if size == 0 {
		size = 8
	}
	off := f.room(size)
	f.Store(f.rec, int64(off), size, w)
	return Datum{Off: off, Size: size, Type: t}
}

func (f *fn) strDatum(x ast.Expr, t types.Type) Datum {
	s := f.str(x)
	if s.kind == probeStr && f.probeFits(s.part) {
		return Datum{Off: s.part, Type: t, Enc: EncProbe}
	}
	off := f.alignedRoom(s.size)
	f.putStr(s, f.rec, int64(off), s.size, false)
	return Datum{Off: off, Size: min(s.size, f.strLimit()), Type: t, Enc: EncString}
}

// probeFits reports whether a part of the names of all sites is no longer than
// strings are.
func (f *fn) probeFits(part int) bool {
	return !slices.ContainsFunc(f.unit.Sites, func(s Site) bool { return len(s.part(part)) >= f.strLimit() })
}

// alignedRoom reserves size bytes at a multiple of 8.
func (f *fn) alignedRoom(size int) int {
	r := &f.out.Records[f.record]
	r.Size = round8(r.Size)
	return f.room(round8(size))
}

// bytesDatum records a whole struct or array.
func (f *fn) bytesDatum(x ast.Expr, t types.Type) Datum {
	return f.bytesAt(f.object(x), t, t.Size())
}

func (f *fn) bytesAt(p place, t types.Type, size int) Datum {
	off := f.alignedRoom(size)
	d := Datum{Off: off, Size: size, Type: t, Enc: EncBytes}
	f.copyObject(f.rec, int64(off), p, size)
	return d
}

// trace records one value. An array of characters is one of bytes to it, as they
// may be no text; stringof() makes a string of it.
func (f *fn) trace(x *ast.Call, c *check.Call) {
	arg := f.prog.Means.Unparen(x.Args[0])
	if t := f.typeOf(arg); types.IsCharArray(t) {
		switch arg.(type) {
		case *ast.Ident, *ast.Var, *ast.Member, *ast.Index, *ast.Unary, *ast.KSym:
			f.act(ActTrace, c, f.bytesDatum(arg, t))
			return
		}
	}
	f.act(ActTrace, c, f.datum(arg))
}

// tracemem records bytes at an address, and perhaps how many of them are shown:
// tracemem(addr, n, shown).
func (f *fn) tracemem(x *ast.Call, c *check.Call) {
	n := int(f.prog.Consts[x.Args[1]])
	addr := f.word(x.Args[0])
	t := &types.Array{Elem: types.UChar, Len: n}
	data := []Datum{f.bytesAt(place{space: f.spaceOf(x.Args[0]), base: addr, typ: t}, t, n)}
	if len(x.Args) > 2 {
		shown := types.Decay(f.typeOf(x.Args[2]))
		data = append(data, f.wordDatum(f.as(x.Args[2], shown), shown))
	}
	f.act(ActTracemem, c, data...)
}

// printf records the values that the format prints. As in DTrace each value is
// an action of its own, which faults are numbered by.
func (f *fn) printf(x *ast.Call, c *check.Call) { f.act(ActPrintf, c, f.formatted(x, c)...) }

// formatted records the values of a format.
func (f *fn) formatted(x *ast.Call, c *check.Call) []Datum {
	verbs := map[int]byte{}
	if c.Format != nil {
		for _, p := range c.Format.Parts {
			if p.Literal == "" && p.Arg >= 0 {
				verbs[p.Arg] = p.Verb
			}
		}
	}
	var data []Datum
	for i, a := range x.Args[1:] {
		if i > 0 {
			f.action++
		}
		data = append(data, f.printfDatum(a, verbs[i]))
	}
	return data
}

// printfDatum records one value as its conversion wants it: what %s prints is a
// string, even if it is a pointer to characters.
func (f *fn) printfDatum(a ast.Expr, verb byte) Datum {
	t := f.typeOf(a)
	if verb == 's' && !isStr(t) && types.IsStringLike(t) {
		return f.strDatum(a, types.StrType)
	}
	if call, ok := f.prog.Means.Unparen(a).(*ast.Call); ok {
		if c := f.prog.Calls[call]; c != nil && c.Fn != nil && c.Fn.Action {
			return f.symDatum(call, c)
		}
	}
	return f.datum(a)
}

// symDatum records the argument of printf("%k", stack()), printf("%a", sym(x))
// and their kin.
func (f *fn) symDatum(x *ast.Call, c *check.Call) Datum {
	if do := f.hooks.datum[c.Fn.ID]; do != nil {
		return do(f, x, c)
	}
	f.errorf(x, "%s() is not supported here", c.Fn.Name)
	return Datum{}
}

// aggAction makes the lowering of an action on aggregations: its value, if it
// has one, is the last argument.
func aggAction(kind ActionKind) actionFunc {
	return func(f *fn, x *ast.Call, c *check.Call) {
		var data []Datum
		if n := len(x.Args); (kind == ActTrunc || kind == ActNormalize) && n > 1 {
			w := f.as(x.Args[n-1], types.Int64)
			data = append(data, f.wordDatum(w, types.Int64))
		}
		f.act(kind, c, data...)
	}
}

// exit records the status and stops the run.
func (f *fn) exit(x *ast.Call, c *check.Call) {
	f.act(ActExit, c, f.wordDatum(f.as(x.Args[0], types.IntType), types.IntType))
	f.Op(ir.OpStop)
	f.stopped = true
	if f.stop != nil {
		f.Store(f.stop, 0, 8, f.Const(1))
	}
}

func (f *fn) stack(x *ast.Call, c *check.Call) Datum  { return f.stackDatum(x, c, false) }
func (f *fn) ustack(x *ast.Call, c *check.Call) Datum { return f.stackDatum(x, c, true) }

// stackDatum records the frames of a stack. Those of the process are preceded
// by its number, which tells whose symbols they are.
func (f *fn) stackDatum(x *ast.Call, c *check.Call, user bool) Datum {
	depth, head, enc := f.frames(c)+ir.TracerFrames, 0, EncStack
	if user {
		depth, head, enc = f.frames(c), 8, EncUstack
	}
	size := head + 8*depth
	off := f.alignedRoom(size)
	if user {
		f.Store(f.rec, int64(off), 8, f.processID(x))
	}
	if !user && f.ownStack() {
		f.Emit(ir.Value{Op: ir.OpZero, Imm: int64(off + head), Size: 8 * depth}, f.rec)
		return Datum{Off: off, Size: size, Type: types.VoidType, Enc: enc}
	}
	// A stack that cannot be had is cleared by the operation, and shows no frames.
	f.Emit(ir.Value{Op: ir.OpStack, Imm: truth(user), Size: 8 * depth}, f.offset(f.rec, int64(off+head)))
	return Datum{Off: off, Size: size, Type: types.VoidType, Enc: enc}
}

func (f *fn) kernelSym(x *ast.Call, _ *check.Call) Datum {
	d := f.wordDatum(f.word(x.Args[0]), types.UInt64)
	d.Enc = EncSym
	return d
}

func (f *fn) userSym(x *ast.Call, _ *check.Call) Datum {
	addr := f.word(x.Args[0])
	off := f.alignedRoom(16)
	f.Store(f.rec, int64(off), 8, f.processID(x))
	f.Store(f.rec, int64(off+8), 8, addr)
	return Datum{Off: off, Size: 16, Type: types.UInt64, Enc: EncUsym}
}

// faultData describes the record of a fault, which begins at off.
func faultData(off int) []Datum {
	return []Datum{
		{Off: off, Size: 4, Type: types.UInt},
		{Off: off + 4, Size: 2, Type: types.UShort},
		{Off: off + 6, Size: 2, Type: types.UShort},
		{Off: off + 8, Size: 8, Type: types.UInt64},
	}
}
