package mach

import (
	"cmp"
	"slices"
	"sync"
)

// Register allocation colours the graph of registers that are live at the same
// time, after Chaitin and Briggs. Registers that only copy one another are first
// joined where that cannot make the graph harder to colour (the conservative
// tests of Briggs and of George), which removes the moves of phis, of two-address
// instructions and of calls. What finds no colour is repeated at each use if it
// is a constant or an address, and otherwise lives on the stack.

// colors is the number of registers to be had: R0 to R9.
const colors = 10

// An allocator is one attempt to colour a function.
type allocator struct {
	graph
	m     *Func
	n     Reg
	cost  []int // of keeping it in memory
	temp  []bool
	alone []bool
	moves []move
	color []Reg

	order  ordering // see simplify
	copies [][]Reg  // see hints
}

// A move is a copy that would vanish if both sides had one register.
type move struct {
	dst, src Reg
	weight   int
}

// A workplace has the memory that it takes to allocate the registers of a function, for that of the
// next: it is several times as large as the function.
type workplace struct {
	flow      flow
	allocator allocator
}

// spare are workplaces where nobody works.
var spare = sync.Pool{New: func() any { return new(workplace) }}

// allocate replaces the virtual registers of m, whose blocks can all be reached.
func allocate(m *Func) {
	w := spare.Get().(*workplace)
	defer spare.Put(w)
	f, a := &w.flow, &w.allocator
	f.begin(m)
	f.dropDead()
	temps := slices.Clone(m.Alone)
	for {
		a.begin(m, temps)
		a.build()
		a.coalesce()
		spilled := a.paint()
		if len(spilled) == 0 {
			a.rewrite()
			return
		}
		temps = append(temps, a.spill(spilled)...)
		f.dropDead()
	}
}

// begin prepares for a function, of whose registers those in temps are not to be spilled.
func (a *allocator) begin(m *Func, temps []Reg) {
	a.m, a.n = m, m.Regs
	a.graph.begin(a.n)
	a.cost, a.temp, a.alone = zeros(a.cost, a.n), zeros(a.temp, a.n), zeros(a.alone, a.n)
	a.color, a.moves = zeros(a.color, a.n), a.moves[:0]
	for _, r := range temps {
		a.temp[r] = true
	}
	for _, r := range m.Alone {
		a.alone[r] = true
	}
}

// weight is what an instruction counts for.
func (b *Block) weight() int {
	if b.Cold {
		return 1
	}
	return 16
}

// build walks each block backwards with the set of live registers.
func (a *allocator) build() {
	var live regset
	for _, b := range a.m.Blocks {
		w := b.weight()
		b.atEnd(&live)
		b.termUses(func(r *Reg) { a.cost[*r] += w })
		for i := len(b.Insts) - 1; i >= 0; i-- {
			a.inst(&b.Insts[i], &live, w)
		}
	}
	slices.SortStableFunc(a.moves, func(x, y move) int { return cmp.Compare(y.weight, x.weight) })
}

func (a *allocator) inst(in *Inst, live *regset, w int) {
	if in.isMove() && in.Src != RFP {
		a.moves = append(a.moves, move{in.Dst, in.Src, w})
		live.remove(in.Src)
	}
	if in.isCall() {
		a.overwritten(1<<clobbered-1, *live)
	} else if d := in.def(); d != None {
		a.written(d, *live)
		a.cost[d] += w
	}
	in.step(live)
	var list [5]Reg
	for _, r := range in.reads(&list) {
		a.cost[r] += w
	}
}

// coalesce joins the two sides of moves until no more can be.
func (a *allocator) coalesce() {
	for again := true; again; {
		again = false
		for _, mv := range a.moves {
			x, y := a.find(mv.dst), a.find(mv.src)
			if y < Virtual {
				x, y = y, x
			}
			if x == y || y < Virtual || a.alone[x] || a.alone[y] || a.interfere(x, y) {
				continue
			}
			if x < Virtual && a.george(x, y) || x >= Virtual && a.briggs(x, y) {
				a.join(x, y)
				a.cost[x] += a.cost[y]
				a.temp[x] = a.temp[x] && a.temp[y]
				again = true
			}
		}
	}
}

// paint gives each register a colour and returns those that found none.
func (a *allocator) paint() (spilled []Reg) {
	stack := a.simplify()
	for r := range Virtual {
		a.color[r] = r
	}
	for r := Virtual; r < a.n; r++ {
		a.color[r] = None
	}
	hints := a.hints()
	for _, r := range slices.Backward(stack) {
		taken := a.near[r]
		for _, t := range a.adj[r] {
			if a.alias[t] == t && a.color[t] != None {
				taken |= 1 << a.color[t]
			}
		}
		a.color[r] = a.pick(taken, hints[r])
		if a.color[r] == None {
			spilled = append(spilled, r)
		}
	}
	return spilled
}

// An ordering has the memory of simplify.
type ordering struct {
	degree            []int
	out               []bool
	left, easy, stack []Reg
}

// simplify orders the registers so that the last are the easiest to colour.
func (a *allocator) simplify() []Reg {
	o := &a.order
	o.degree, o.out = append(o.degree[:0], a.degree...), zeros(o.out, a.n)
	degree, out := o.degree, o.out
	left, easy, stack := o.left[:0], o.easy[:0], o.stack[:0]
	defer func() { o.left, o.easy, o.stack = left, easy, stack }()
	for r := Virtual; r < a.n; r++ {
		if a.alias[r] != r {
			continue
		}
		if degree[r] < colors {
			easy = append(easy, r)
		} else {
			left = append(left, r)
		}
	}
	remove := func(r Reg) {
		out[r] = true
		stack = append(stack, r)
		for _, t := range a.adj[r] {
			if a.alias[t] == t && !out[t] {
				if degree[t]--; degree[t] == colors-1 {
					easy = append(easy, t)
				}
			}
		}
	}
	for {
		for len(easy) > 0 {
			r := easy[len(easy)-1]
			easy = easy[:len(easy)-1]
			if !out[r] {
				remove(r)
			}
		}
		left = slices.DeleteFunc(left, func(r Reg) bool { return out[r] })
		if len(left) == 0 {
			return stack
		}
		remove(a.cheapest(left, degree))
	}
}

// cheapest returns the register whose loss hurts least for what it frees.
func (a *allocator) cheapest(left []Reg, degree []int) Reg {
	score := func(r Reg) int {
		if a.temp[r] {
			return 1 << 40
		}
		return a.cost[r] * 1024 / degree[r]
	}
	best, least := left[0], score(left[0])
	for _, r := range left[1:] {
		if s := score(r); s < least {
			best, least = r, s
		}
	}
	return best
}

// hints lists for each register those it is copied to or from.
func (a *allocator) hints() [][]Reg {
	a.copies = empty(a.copies, a.n)
	h := a.copies
	for _, mv := range a.moves {
		x, y := a.find(mv.dst), a.find(mv.src)
		if x != y {
			h[x] = append(h[x], y)
			h[y] = append(h[y], x)
		}
	}
	return h
}

// preference is the order in which registers are tried: those that calls
// overwrite first, because the others must be saved by whoever is called.
var preference = [colors]Reg{1, 2, 3, 4, 5, 0, 6, 7, 8, 9}

// pick chooses a register that is not taken, one that makes a move vanish if
// there is one.
func (a *allocator) pick(taken uint16, hints []Reg) Reg {
	for _, h := range hints {
		if c := a.color[h]; c != None && c < colors && taken&(1<<c) == 0 {
			return c
		}
	}
	for _, c := range preference {
		if taken&(1<<c) == 0 {
			return c
		}
	}
	return None
}

// rewrite puts the colours into the code and drops moves to itself.
func (a *allocator) rewrite() {
	paint := func(r *Reg) {
		if *r >= Virtual {
			*r = a.color[a.find(*r)]
		}
	}
	for _, b := range a.m.Blocks {
		kept := b.Insts[:0]
		for _, in := range b.Insts {
			paint(&in.Dst)
			paint(&in.Src)
			if in.isMove() && in.Dst == in.Src {
				continue
			}
			kept = append(kept, in)
		}
		b.Insts = kept
		b.termUses(paint)
	}
}
