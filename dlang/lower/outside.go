package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// sigStop is SIGSTOP of x86-64 and arm64.
const sigStop = 19

// outsideHooks has the actions that reach beyond tracing. Those that act on the
// process do so as the probe fires; commands and files are the reader's, which keeps
// to the order of the output.
func outsideHooks(h *hooks) {
	h.act[function.System] = func(f *fn, x *ast.Call, c *check.Call) { f.act(ActSystem, c, f.formatted(x, c)...) }
	h.act[function.Freopen] = func(f *fn, x *ast.Call, c *check.Call) { f.act(ActFreopen, c, f.formatted(x, c)...) }
	h.act[function.Ftruncate] = func(f *fn, _ *ast.Call, c *check.Call) { f.act(ActCall, c) }
	h.act[function.Raise] = func(f *fn, x *ast.Call, c *check.Call) { f.signal(c, f.as(x.Args[0], types.IntType)) }
	h.act[function.Stop] = func(f *fn, _ *ast.Call, c *check.Call) { f.signal(c, f.Const(sigStop)) }
	h.act[function.Chill] = (*fn).chill
	h.act[function.Print] = (*fn).print
	h.act[function.Pcap] = (*fn).pcap
}

// setopt records what is computed of an option and its value.
func (f *fn) setopt(x *ast.Call, c *check.Call) {
	var data []Datum
	if c.Option == "" {
		for _, a := range x.Args {
			data = append(data, f.strDatum(a, types.StrType))
		}
	}
	f.act(ActSetopt, c, data...)
}

// frames returns how many frames stack(), ustack() or jstack() takes.
func (l *lowerer) frames(c *check.Call) int {
	n := map[function.ID]int{
		function.Stack: l.opts.StackFrames, function.Ustack: l.opts.UstackFrames, function.Jstack: l.opts.JstackFrames,
	}[c.Fn.ID]
	if c.Depth > 0 {
		n = c.Depth
	}
	if n == 0 || l.opts.MaxFrames > 0 && n > l.opts.MaxFrames {
		n = max(l.opts.MaxFrames, 1)
	}
	return n
}

// ownStack reports whether the kernel stack of the unit is the tracer's own: BEGIN
// and END fire outside of anything, so they have none to show.
func (f *fn) ownStack() bool { return f.unit.Special == "BEGIN" || f.unit.Special == "END" }

// signal sends a signal to the process.
func (f *fn) signal(c *check.Call, number *ir.Value) {
	f.Op(ir.OpSignal, number)
	f.act(ActNone, c)
}

// chill spins. Longer than the guide allows is a fault, and nothing is spun.
func (f *fn) chill(x *ast.Call, c *check.Call) {
	const over = "chilled"
	f.subs[over] = true
	ns := f.as(x.Args[0], types.UInt64)
	f.fault(f.Emit(ir.Value{Op: ir.OpChill, Imm: check.MaxChill, Aux: ir.Sym(over)}, ns), faultIllop, ns)
	f.act(ActNone, c)
}

// print records an address and what lies there, or a value. The type of the last datum is
// that of what is shown.
func (f *fn) print(x *ast.Call, c *check.Call) {
	arg := f.prog.Means.Unparen(x.Args[0])
	t := f.prog.Printed(arg)
	switch types.Resolve(f.typeOf(arg)).(type) {
	case *types.Int, *types.Enum, *types.String:
		f.act(ActCall, c, f.datum(arg))
		return
	}
	if !types.IsPointer(f.typeOf(arg)) {
		f.act(ActCall, c, f.bytesDatum(arg, t))
		return
	}
	p := f.behind(arg, t)
	if p.space == taskSpace { // read like any memory, in one go
		p = place{space: kernelSpace, base: f.word(arg), typ: t}
	}
	where := f.wordDatum(p.base, types.VoidPtr)
	f.act(ActCall, c, where, f.bytesAt(p, t, t.Size()))
}

// pcap records a packet: when, how many bytes it has, its protocol, and those of
// its bytes that lie together, at most pcapsize. Of no packet it records none. The data
// are the time, the bytes there were, the bytes kept, the protocol, then the bytes.
func (f *fn) pcap(x *ast.Call, c *check.Call) {
	most := f.opts.PcapSize
	skb, proto := f.word(x.Args[0]), f.as(x.Args[1], types.UInt)
	now := f.wordDatum(f.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("timestamp")}), types.UInt64)
	kind := f.wordDatum(proto, types.UInt)
	size, kept := f.roomFor(types.UInt), f.roomFor(types.UInt)
	off := f.alignedRoom(most)
	data := Datum{Off: off, Size: most, Type: &types.Array{Elem: types.UChar, Len: most}, Enc: EncBytes}
	none, some, done := f.Block(), f.Block(), f.Block()
	f.Branch(skb, some, none)
	f.Go(none)
	f.Store(f.rec, int64(size.Off), 4, f.Const(0))
	f.Store(f.rec, int64(kept.Off), 4, f.Const(0))
	f.Emit(ir.Value{Op: ir.OpZero, Imm: int64(off), Size: round8(most)}, f.rec)
	f.Jump(done)
	f.Go(some)
	member := func(m types.Field) *ir.Value {
		return f.rvalue(place{space: kernelSpace, base: skb, off: int64(m.Off / 8), typ: m.Type})
	}
	total := member(c.Packet.Len)
	linear := f.Op(ir.OpSub, total, member(c.Packet.DataLen))
	n := f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(most) + 1}, linear)
	f.Store(f.rec, int64(size.Off), 4, total)
	f.Store(f.rec, int64(kept.Off), 4, n)
	from := member(c.Packet.Data)
	f.readSized(kernelSpace, f.rec, int64(off), from, from, sized{w: n, most: most})
	f.Jump(done)
	f.Go(done)
	f.act(ActCall, c, now, size, kept, kind, data)
}

// roomFor reserves room for a value that is stored later.
func (f *fn) roomFor(t types.Type) Datum {
	return Datum{Off: f.room(t.Size()), Size: t.Size(), Type: t}
}
