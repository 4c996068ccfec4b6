package codegen

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/codegen/walk"
)

// The functions of a script are selected one after another, because they share
// memory that is handed out in order. What comes then, allocation of registers
// above all, is work for one function alone and most of the work: it is done
// side by side. The object is the same whoever is done first.

// Of the stack working memory takes most; the rest is for registers that find no colour. If that is
// not enough, working memory has to do with less.
var budgets = []int{384, 256, 128, 0}

// A draft is a program whose functions are selected. Its stack may be too deep
// yet.
type draft struct {
	fn      *ir.Func
	works   int          // of pieces of working memory that there were before it
	funcs   []*mach.Func // that of fn comes first
	err     error        // of selection
	working sync.WaitGroup
	mishap  atomic.Pointer[diag.Diagnostic] // what went wrong within working
}

// programs generates the programs of all units and names them by unit.
func (g *generator) programs() (map[string]*ebpf.ProgramSpec, []string, error) {
	var left []*ir.Func
	for _, fn := range g.ir.Funcs {
		if fn.Unit >= 0 && fn != g.errorFn {
			left = append(left, fn)
		}
	}
	progs, names := map[string]*ebpf.ProgramSpec{}, make([]string, len(g.units))
	for len(left) > 0 {
		specs, err := g.batch(left)
		if err != nil {
			return nil, nil, err
		}
		for i, spec := range specs {
			names[left[i].Unit] = spec.Name
			progs[spec.Name] = spec
		}
		left = left[len(specs):]
	}
	return progs, names, nil
}

// batch generates the programs of as many of fns as it can, from the first on. A
// program that has to do with less working memory than was planned ends the batch, as
// those behind it were selected for nothing.
func (g *generator) batch(fns []*ir.Func) (specs []*ebpf.ProgramSpec, err error) {
	var drafts []*draft
	for _, fn := range fns {
		d := g.draft(fn, budgets[0])
		defer d.working.Wait()
		if drafts = append(drafts, d); d.err != nil {
			break
		}
	}
	for _, d := range drafts {
		kept, err := g.fit(d)
		if err != nil {
			return nil, err
		}
		spec := g.spec(kept.fn, kept.funcs)
		if err := fits(kept.fn, spec); err != nil {
			return nil, err
		}
		if specs = append(specs, spec); kept != d {
			break
		}
	}
	return specs, nil
}

// fit returns d when it is done if its stack is not too deep, or else another that
// has less working memory on it.
func (g *generator) fit(d *draft) (*draft, error) {
	for i, budget := range budgets {
		if i > 0 {
			g.works = g.works[:d.works]
			d = g.draft(d.fn, budget)
		}
		d.working.Wait()
		if d.err != nil {
			return nil, d.err
		}
		if m := d.mishap.Load(); m != nil {
			return nil, mishap(m)
		}
		if d.depth() <= mach.MaxStack {
			for _, m := range d.funcs {
				g.spills += m.Spills
			}
			return d, nil
		}
	}
	return nil, &Error{At: d.fn.Place(), Unit: d.fn.Unit, Times: 2, Msg: fmt.Sprintf(
		"the clauses of %s need more than the %d bytes of stack that the kernel gives; split them", d.fn.Name, mach.MaxStack)}
}

// draft selects the instructions of fn and of what it calls, with so many bytes of
// working memory on the stack, and lets the rest of the work begin.
func (g *generator) draft(fn *ir.Func, budget int) *draft {
	g.budget = budget
	d := &draft{fn: fn, works: len(g.works)}
	selected := map[string]*mach.Func{}
	var visit func(fn *ir.Func, name string, u *unitContext, chain []string) error
	visit = func(fn *ir.Func, name string, u *unitContext, chain []string) error {
		for _, c := range chain {
			if c == name {
				return &Error{At: fn.Place(), Msg: fmt.Sprintf("%s calls itself, which eBPF cannot do", name)}
			}
		}
		m := selected[name]
		if m == nil {
			var err error
			if m, err = g.function(fn, name, u, len(chain) > 0); err != nil {
				return err
			}
			selected[name] = m
			d.funcs = append(d.funcs, m)
		}
		for _, c := range m.Calls {
			if depth, ok := walk.Is(c); ok {
				if selected[c] == nil {
					for _, w := range g.walkers(depth) {
						w.Code[0] = w.Code[0].WithSource(g.script.source(token.Span{})) // it comes from no place of the script
						selected[w.Name] = w
						d.funcs = append(d.funcs, w)
					}
				}
				continue
			}
			sub := g.subs[c]
			if sub == nil {
				return fmt.Errorf("internal error: %s calls %s, which does not exist", name, c)
			}
			inner := u
			if c == errorName {
				inner = u.inError(g, sub)
			}
			if err := visit(sub, c, inner, append(chain, name)); err != nil {
				return err
			}
		}
		return nil
	}
	d.err = visit(fn, fn.Name, newUnitContext(g, fn), nil)
	for _, m := range d.funcs {
		if m.Code == nil {
			d.working.Go(func() {
				defer d.recovered()
				m.Finish(g.script.source)
			})
		}
	}
	return d
}

// function selects the instructions of one function.
func (g *generator) function(fn *ir.Func, name string, u *unitContext, sub bool) (*mach.Func, error) {
	m := &mach.Func{Name: name, Regs: mach.Virtual}
	s := &selector{g: g, u: u, fn: fn, m: m, inner: sub,
		start: map[*ir.Block]*mach.Block{}, phis: map[*ir.Value]mach.Reg{},
		allocas: map[*ir.Value]place{}, tasks: map[*ir.Value]mach.Reg{}, done: map[*ir.Value]bool{},
		back: map[backEdge]bool{}, asked: map[backEdge]bool{}, headers: map[*ir.Block]bool{},
		key: mach.None, task: mach.None, tgid: mach.None, pt: mach.None, gen: mach.None, work: mach.None, fired: mach.None, busy: mach.None, held: mach.None}
	g.selecting = s
	if err := s.run(); err != nil {
		return nil, err
	}
	m.DropUnreached()
	m.NoteCalls()
	m.Tidied, m.Idle, m.Tmp = s.blurs(), g.f.Verifier.Has(IdleRegs), s.tmp
	return m, nil
}

// recovered keeps a panic of what works beside the selection.
func (d *draft) recovered() {
	if why := recover(); why != nil {
		d.mishap.CompareAndSwap(nil, diag.Mishap("the code generator", d.fn.Place(), why))
	}
}

// depth measures the deepest chain of stack frames. None of the functions calls
// itself.
func (d *draft) depth() int {
	const granule = 32 // the verifier rounds each frame up
	deepest := map[string]int{}
	var visit func(m *mach.Func) int
	visit = func(m *mach.Func) int {
		below := 0
		for _, c := range m.Calls {
			if _, ok := deepest[c]; !ok {
				deepest[c] = visit(d.named(c))
			}
			below = max(below, deepest[c])
		}
		return below + max((m.Frame+m.Extra+granule-1)/granule*granule, granule)
	}
	return visit(d.funcs[0])
}

func (d *draft) named(name string) *mach.Func {
	for _, m := range d.funcs {
		if m.Name == name {
			return m
		}
	}
	panic("codegen: " + name + " was not selected")
}
