package codegen

import (
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/probes"
)

// A hookKind is how a program is entered, and so where its arguments lie.
type hookKind uint8

const (
	hookTest   hookKind = iota // words given to the test run
	hookRaw                    // raw tracepoint: words, kernel addresses among them
	hookBTF                    // tracepoint with BTF: words, and addresses that the verifier knows
	hookEnter                  // sys_enter with BTF
	hookExit                   // sys_exit with BTF
	hookTimer                  // perf event
	hookError                  // subprogram: context, packed fault, word
	hookRegs                   // struct pt_regs of where it fired
	hookEntry                  // trampoline at the entry of a function: its words, and addresses that the verifier knows
	hookReturn                 // trampoline at its return: the same, and the value returned behind them
)

// A unitContext is what selection knows of the unit.
type unitContext struct {
	unit *Unit
	kind hookKind
	raw  int // words of context that may be read; 0 of several tracepoints: up to maxArgs

	// preempted says that another thread may run the same program on the same CPU
	// before this run has ended.
	preempted bool
}

// ours reports whether nothing of the machine fires the unit: the engine runs BEGIN and END,
// and programs of the run call ERROR.
func (c *unitContext) ours() bool { return c.kind == hookTest || c.kind == hookError }

func newUnitContext(g *generator, fn *ir.Func) *unitContext {
	u := g.units[fn.Unit]
	c := &unitContext{unit: u}
	switch {
	case isError(u):
		c.kind = hookError
	case u.Hook.Kind == probes.Test:
		c.kind = hookTest
	case u.Hook.Kind == probes.Timer || u.Hook.Kind == probes.Counter:
		c.kind = hookTimer
	case u.Hook.Kind == probes.User:
		c.kind, c.preempted = hookRegs, true
	case u.Hook.Kind == probes.Function, u.Hook.Kind == probes.Instruction:
		c.kind, c.raw = functionKind(u), atHook(u.Sites[0]).Raw
	case u.Shared:
		c.kind = hookRaw
	case u.Hook.Select == probes.BySyscall && u.leaves():
		c.kind = hookExit
	case u.Hook.Select == probes.BySyscall:
		c.kind = hookEnter
	default:
		c.kind = hookBTF
		if u.opaque() {
			c.kind = hookRaw
		}
		for _, s := range u.Sites {
			c.raw = max(c.raw, atHook(s).Raw)
		}
	}
	return c
}

// atHook returns the site whose arguments the hook hands over. They are what the program
// of a probe that is made of another one reads.
func atHook(s *probes.Site) *probes.Site {
	if s.Derived != nil {
		return s.Derived.On
	}
	return s
}

// inError returns the context of ERROR's clauses, called from a program of c.
func (c *unitContext) inError(g *generator, fn *ir.Func) *unitContext {
	return &unitContext{unit: g.units[fn.Unit], kind: hookError, preempted: c.preempted}
}

// syscall reports whether the unit's key is the number of a system call.
func (c *unitContext) syscall() bool { return c.kind == hookEnter || c.kind == hookExit }

// keys returns the keys of the sites.
func (c *unitContext) keys() []uint32 {
	var keys []uint32
	for _, s := range c.unit.Sites {
		keys = append(keys, s.Key)
	}
	return slices.Compact(keys)
}

// soleKey returns the key of a unit that has one site.
func (c *unitContext) soleKey() uint32 {
	if len(c.unit.Sites) == 0 {
		return 0
	}
	return c.unit.Sites[0].Key
}

// table returns a row for each key from the lowest to the highest; those of
// no site are empty, of the same length.
func (c *unitContext) table(row func(*probes.Site) []byte) [][]byte {
	low := c.unit.Sites[0].Key
	high := c.unit.Sites[len(c.unit.Sites)-1].Key
	rows := make([][]byte, high-low+1)
	for _, s := range c.unit.Sites {
		rows[s.Key-low] = row(s)
	}
	for i, r := range rows {
		if r == nil {
			rows[i] = make([]byte, len(rows[0]))
		}
	}
	return rows
}
