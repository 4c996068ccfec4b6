package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/types"
)

func netHooks(h *hooks) {
	h.str[function.InetNtoa] = (*fn).inetNtoa
	h.str[function.InetNtoa6] = (*fn).inetNtoa6
	h.str[function.InetNtop] = (*fn).inetNtop
	h.str[function.LinkNtop] = (*fn).linkNtop
	h.word[function.Getmajor] = (*fn).getmajor
	h.word[function.Getminor] = (*fn).getminor
	h.word[function.AddrKind] = (*fn).addrKind
}

// Lengths of addresses, and of their spellings with a terminator, in bytes.
const (
	etherBytes        = 6
	infinibandBytes   = 20
	longestLink       = 3 * infinibandBytes
	longestIPv4       = 16
	longestIPv6       = 48
	shortestPrefixLen = 6 // groups of IPv6 before an IPv4 address
)

// fetched copies n bytes that x points to into memory, or leaves the clause.
func (f *fn) fetched(x ast.Expr, n int) *ir.Value { return f.source(x)(n) }

// source computes the address x, and returns what copies bytes from there.
func (f *fn) source(x ast.Expr) func(n int) *ir.Value {
	from, addr := f.spaceOf(x), f.word(x)
	return func(n int) *ir.Value {
		buf := f.Alloca(n)
		f.fetch(from, buf, addr, n)
		return buf
	}
}

// fetch copies n bytes at an address to buf, or leaves the clause.
func (f *fn) fetch(s space, buf, addr *ir.Value, n int) {
	if s != scratchSpace {
		f.read(notTask(s), buf, 0, addr, n)
		return
	}
	f.fromScratch(addr, n, buf, 0)
}

// made describes a string that a subroutine has written to size bytes of memory,
// and cuts it where strings end.
func (f *fn) made(dst *ir.Value, size int) str {
	if f.strLimit() < size {
		f.Store(dst, int64(f.strLimit()-1), 1, f.Const(0))
		size = f.strSize()
	}
	return str{kind: memStr, ptr: dst, size: size}
}

// inetNtoa lowers inet_ntoa(addr).
func (f *fn) inetNtoa(x *ast.Call) str {
	dst := f.Alloca(max(longestIPv4, f.strSize()))
	f.run("inetntoa", dst, f.fetched(x.Args[0], 4))
	return f.made(dst, longestIPv4)
}

// inetNtoa6 lowers inet_ntoa6(addr[, strict]). An IPv4 address within is spelled
// alone unless strict is set.
func (f *fn) inetNtoa6(x *ast.Call) str {
	strict := len(x.Args) > 1 && f.prog.Consts[x.Args[1]] != 0
	dst := f.Alloca(max(longestIPv6, f.strSize()))
	f.ipv6(dst, f.fetched(x.Args[0], 16), strict)
	return f.made(dst, longestIPv6)
}

// ipv6 spells the address in the 16 bytes at p.
func (f *fn) ipv6(dst, p *ir.Value, strict bool) {
	v4, v6, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.holdsIPv4(p), v4, v6)
	f.Go(v4)
	quad := f.offset(p, 12)
	if strict {
		end := f.call("inetntoa6", dst, p, f.Const(shortestPrefixLen))
		at := f.bounded(dst, end, longestIPv6-longestIPv4)
		f.Store(at, 0, 1, f.Const(':'))
		f.run("inetntoa", f.offset(at, 1), quad)
	} else {
		f.run("inetntoa", dst, quad)
	}
	f.Jump(done)
	f.Go(v6)
	f.call("inetntoa6", dst, p, f.Const(8))
	f.Jump(done)
	f.Go(done)
}

// holdsIPv4 is a word that is not 0 if the IPv6 address at p is an IPv4 address
// mapped into the other kind, ::ffff:a.b.c.d, or the older ::a.b.c.d; ::1 and :: are
// not, as DTrace has it.
func (f *fn) holdsIPv4(p *ir.Value) *ir.Value {
	zero := f.Const(0)
	middle, last := f.Load(p, 8, 4), f.Load(p, 12, 4)
	last = f.swapped(last, 4)
	mapped := f.Op(ir.OpEq, middle, f.Const(0xffff0000))
	plain := f.Op(ir.OpAnd, f.Op(ir.OpEq, middle, zero), f.Op(ir.OpLtU, f.Const(1), last))
	return f.Op(ir.OpAnd, f.Op(ir.OpEq, f.Load(p, 0, 8), zero), f.Op(ir.OpOr, mapped, plain))
}

// inetNtop lowers inet_ntop(family, addr). Another family is a fault.
func (f *fn) inetNtop(x *ast.Call) str {
	dst := f.Alloca(max(longestIPv6, f.strSize()))
	kind := f.as(x.Args[0], types.IntType)
	bytes := f.source(x.Args[1])
	f.byKind(kind, []choice{
		{linux.AFInet6, func() { f.ipv6(dst, bytes(16), true) }},
		{linux.AFInet, func() { f.run("inetntoa", dst, bytes(4)) }},
	})
	return f.made(dst, longestIPv6)
}

// linkNtop lowers link_ntop(type, addr). Another type is a fault.
func (f *fn) linkNtop(x *ast.Call) str {
	dst := f.Alloca(max(longestLink+8, f.strSize()))
	kind := f.as(x.Args[0], types.IntType)
	bytes := f.source(x.Args[1])
	spell := func(n int) func() {
		return func() {
			room := f.Alloca(24) // for the longest
			f.copyMem(room, 0, bytes(n), 0, round8(n))
			f.run("linkntop", dst, room, f.Const(int64(n)))
		}
	}
	f.byKind(kind, []choice{{linux.ARPHRDEther, spell(etherBytes)}, {linux.ARPHRDInfiniband, spell(infinibandBytes)}})
	return f.made(dst, longestLink)
}

// A choice is what is done if a number is what it says.
type choice struct {
	is int64
	do func()
}

// byKind does what the number selects, and faults for any other.
func (f *fn) byKind(kind *ir.Value, choices []choice) {
	done := f.Block()
	for _, c := range choices {
		yes, no := f.Block(), f.Block()
		f.Branch(f.Op(ir.OpEq, kind, f.Const(c.is)), yes, no)
		f.Go(yes)
		c.do()
		f.Jump(done)
		f.Go(no)
	}
	f.giveUp(faultIllop, kind)
	f.Go(done)
}

// getmajor lowers getmajor(dev), by the kernel's own layout of a dev_t.
func (f *fn) getmajor(x *ast.Call) *ir.Value {
	return f.Op(ir.OpShrL, f.Emit(ir.Value{Op: ir.OpZExt, Size: 4}, f.intArg(x, 0)), f.Const(linux.MinorBits))
}

func (f *fn) getminor(x *ast.Call) *ir.Value {
	return f.Op(ir.OpAnd, f.intArg(x, 0), f.Const(1<<linux.MinorBits-1))
}
