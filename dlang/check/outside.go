package check

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/types"
)

// freopen takes a format that makes a name. The empty name brings the output
// back to where it went at first.
func (c *checker) freopen(p *pending) {
	name, ok := c.prog.Strings[p.ast.Args[0]]
	if ok && name == "" && len(p.ast.Args) == 1 {
		p.info.Format = &Format{}
		return
	}
	if name == "." {
		c.errorf(p.ast.Args[0], diag.FreopenBad, "freopen() cannot open \".\", which is a folder").
			Suggest("freopen(\"\") brings the output back")
		return
	}
	c.printf(p)
}

// MaxChill is the longest time that chill() spins at once, in nanoseconds, and
// the most that a CPU spins in a second: the figure of the guide.
const MaxChill = 500_000_000

func (c *checker) chill(p *pending) {
	if n, ok := c.prog.Consts[p.ast.Args[0]]; ok && (n < 0 || n > MaxChill) {
		c.errorf(p.ast.Args[0], diag.ChillLong, "chill() spins for at most %d ns", MaxChill).
			Suggest("spin for a shorter time more often")
	}
}

// maxSignal is the highest number of a signal: _NSIG of the kernel.
const maxSignal = 64

func (c *checker) raise(p *pending) {
	if n, ok := c.prog.Consts[p.ast.Args[0]]; ok && (n < 0 || n > maxSignal) {
		c.errorf(p.ast.Args[0], diag.ProtoArg, "there is no signal %d", n).Suggest("raise(SIGINT)")
	}
}

// stop refuses what would stop dscope itself: it is the process that BEGIN and
// END fire in.
func (c *checker) stop(p *pending) {
	own := func(s ProbeSet) bool { return s.Special == "BEGIN" || s.Special == "END" }
	if c.clause != nil && slices.ContainsFunc(c.clause.Probes, own) {
		c.errorf(p.ast, diag.Unsupported, "stop() in BEGIN or END would stop dscope itself").
			Suggest("stop the process where one of its own probes fires")
	}
}

// maxPrint bounds what print() records, in bytes: the largest record that leaves
// room for others in the smallest buffer that makes sense.
const maxPrint = 16 << 10

// print checks what print() shows: what a pointer points to or, as on FreeBSD and
// illumos, a value. A constant is none: DTrace on Linux refuses it.
func (c *checker) print(p *pending) {
	x, t := p.ast.Args[0], p.args[0]
	switch types.Resolve(t).(type) {
	case *types.Struct, *types.Array:
		if c.placeOf(x) == placeNone {
			c.errorf(x, diag.ProtoArg, "print() shows what lies in memory, and this does not").Suggest("%s", p.fn.Proto)
			return
		}
	case *types.Pointer:
		t = types.Elem(t)
	case *types.Int, *types.Enum, *types.String:
		_, number := c.prog.Consts[x]
		_, text := c.prog.Strings[x]
		if !number && !text {
			return
		}
		c.errorf(x, diag.ProtoArg, "print() shows what a pointer points to or a value, and this is a constant").
			Suggest("trace(%s)", c.text(x))
		return
	default:
		c.errorf(x, diag.ProtoArg, "print() follows a pointer, and this is %s", t).
			Suggest("print(&x), or trace(%s) for the value", c.text(x))
		return
	}
	switch n := t.Size(); {
	case types.IsInvalid(t):
	case n == 0:
		c.errorf(x, diag.PrintSize, "print() cannot show %s: it has no size", t)
	case n > maxPrint:
		c.unsupported(x, "printing more than %d bytes at once is", maxPrint).Suggest("%s has %d: print a member", t, n)
	}
}

// A Packet says where the bytes of a packet lie within struct sk_buff.
type Packet struct{ Len, DataLen, Data types.Field }

// pcap finds the members of struct sk_buff, which tell how much there is.
func (c *checker) pcap(p *pending) {
	if s, ok := types.Resolve(types.Elem(p.args[0])).(*types.Struct); ok && s.Tag != "sk_buff" {
		c.warn(p.ast.Args[0], diag.ProtoArg, "pcap() takes this for a struct sk_buff, and it is %s", s)
	}
	t, err := c.env.Type("struct", "", "sk_buff")
	skb, ok := types.Resolve(t).(*types.Struct)
	if err != nil || !ok {
		c.errorf(p.ast.Fn, diag.Unsupported, "pcap() cannot be used: this kernel does not tell what struct sk_buff is")
		return
	}
	p.info.Packet = &Packet{}
	for _, m := range []struct {
		name string
		to   *types.Field
	}{{"len", &p.info.Packet.Len}, {"data_len", &p.info.Packet.DataLen}, {"data", &p.info.Packet.Data}} {
		if *m.to, ok = skb.Member(m.name); !ok {
			c.errorf(p.ast.Fn, diag.Unsupported, "pcap() cannot be used: struct sk_buff has no %s here", m.name)
			return
		}
	}
}

// Printed returns the type of what print(x) shows.
func (p *Program) Printed(x ast.Expr) types.Type {
	t := p.Types[x]
	if types.IsPointer(t) {
		return types.Elem(t)
	}
	return t
}

// Uses reports whether the script calls a function.
func (p *Program) Uses(fn function.ID) bool {
	return p.UsesAny(func(f *Function) bool { return f.ID == fn })
}

// UsesAny reports whether the script calls a function of which is is true.
func (p *Program) UsesAny(is func(*Function) bool) bool {
	for _, c := range p.Calls {
		if c.Fn != nil && is(c.Fn) {
			return true
		}
	}
	return false
}
