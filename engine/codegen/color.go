package codegen

import "slices"

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
	m      *mfunc
	n      reg
	matrix []uint64 // which registers interfere
	adj    [][]reg  // neighbours; may name registers that were joined since
	degree []int
	alias  []reg
	cost   []int // of keeping it in memory
	temp   []bool
	moves  []move
	color  []reg
}

// A move is a copy that would vanish if both sides had one register.
type move struct {
	dst, src reg
	weight   int
}

// allocate replaces the virtual registers of m.
func allocate(m *mfunc) {
	m.dropUnreached()
	m.dropDead()
	temps := map[reg]bool{}
	for {
		a := newAllocator(m, temps)
		a.build()
		a.coalesce()
		spilled := a.paint()
		if len(spilled) == 0 {
			a.rewrite()
			return
		}
		a.spill(spilled, temps)
		m.dropDead()
	}
}

func newAllocator(m *mfunc, temps map[reg]bool) *allocator {
	n := m.regs
	a := &allocator{m: m, n: n, matrix: make([]uint64, (int(n)*int(n)+63)/64), adj: make([][]reg, n),
		degree: make([]int, n), alias: make([]reg, n), cost: make([]int, n), temp: make([]bool, n),
		color: make([]reg, n)}
	for r := range n {
		a.alias[r] = r
		a.temp[r] = temps[r]
	}
	return a
}

// find returns what r was joined with.
func (a *allocator) find(r reg) reg {
	for a.alias[r] != r {
		r = a.alias[r]
	}
	return r
}

func (a *allocator) interfere(x, y reg) bool {
	i := int(x)*int(a.n) + int(y)
	return a.matrix[i/64]&(1<<(i%64)) != 0
}

// connect records that x and y are live at once.
func (a *allocator) connect(x, y reg) {
	if x == y || x == rfp || y == rfp || a.interfere(x, y) {
		return
	}
	for _, p := range [2][2]reg{{x, y}, {y, x}} {
		i := int(p[0])*int(a.n) + int(p[1])
		a.matrix[i/64] |= 1 << (i % 64)
		a.adj[p[0]] = append(a.adj[p[0]], p[1])
		a.degree[p[0]]++
	}
}

// weight is what an instruction counts for.
func (b *block) weight() int {
	if b.cold {
		return 1
	}
	return 16
}

// build walks each block backwards with the set of live registers.
func (a *allocator) build() {
	live := newBitset(a.n)
	for _, b := range a.m.blocks {
		w := b.weight()
		live.copyFrom(b.out)
		b.termUses(func(r *reg) { live.add(*r); a.cost[*r] += w })
		for i := len(b.insts) - 1; i >= 0; i-- {
			a.inst(&b.insts[i], live, w)
		}
	}
	slices.SortStableFunc(a.moves, func(x, y move) int { return y.weight - x.weight })
}

func (a *allocator) inst(in *inst, live bitset, w int) {
	if in.isMove() && in.src != rfp {
		a.moves = append(a.moves, move{in.dst, in.src, w})
		live.remove(in.src)
	}
	if in.isCall() {
		for d := range reg(clobbered) {
			live.each(func(l reg) { a.connect(d, l) })
		}
	} else if d := in.def(); d != none {
		live.each(func(l reg) { a.connect(d, l) })
		a.cost[d] += w
	}
	in.step(live)
	in.uses(func(r *reg) { a.cost[*r] += w })
}

// coalesce joins the two sides of moves until no more can be.
func (a *allocator) coalesce() {
	for again := true; again; {
		again = false
		for _, mv := range a.moves {
			x, y := a.find(mv.dst), a.find(mv.src)
			if y < virtual {
				x, y = y, x
			}
			if x == y || y < virtual || a.interfere(x, y) {
				continue
			}
			if x < virtual && a.george(x, y) || x >= virtual && a.briggs(x, y) {
				a.join(x, y)
				again = true
			}
		}
	}
}

// george reports whether y can become the machine register x: every neighbour
// of y interferes with x already, or is easy to colour.
func (a *allocator) george(x, y reg) bool {
	for _, t := range a.adj[y] {
		if a.alias[t] != t || t < virtual || a.interfere(t, x) {
			continue
		}
		if a.degree[t] >= colors {
			return false
		}
	}
	return true
}

// briggs reports whether the union of x and y has few neighbours that are hard
// to colour.
func (a *allocator) briggs(x, y reg) bool {
	hard := 0
	count := func(t reg, d int) {
		if t < virtual || d >= colors {
			hard++
		}
	}
	for _, t := range a.adj[x] {
		if a.alias[t] != t {
			continue
		}
		d := a.degree[t]
		if a.interfere(t, y) {
			d--
		}
		count(t, d)
	}
	for _, t := range a.adj[y] {
		if a.alias[t] == t && !a.interfere(t, x) {
			count(t, a.degree[t])
		}
	}
	return hard < colors
}

// join makes y the same register as x.
func (a *allocator) join(x, y reg) {
	a.alias[y] = x
	a.cost[x] += a.cost[y]
	a.temp[x] = a.temp[x] && a.temp[y]
	for _, t := range a.adj[y] {
		if a.alias[t] != t {
			continue
		}
		a.degree[t]-- // y is gone
		a.connect(x, t)
	}
}

// paint gives each register a colour and returns those that found none.
func (a *allocator) paint() (spilled []reg) {
	stack := a.simplify()
	for r := range virtual {
		a.color[r] = r
	}
	for r := virtual; r < a.n; r++ {
		a.color[r] = none
	}
	hints := a.hints()
	for _, r := range slices.Backward(stack) {
		var taken [colors]bool
		for _, t := range a.adj[r] {
			if a.alias[t] == t && a.color[t] != none && a.color[t] < colors {
				taken[a.color[t]] = true
			}
		}
		a.color[r] = a.pick(taken, hints[r])
		if a.color[r] == none {
			spilled = append(spilled, r)
		}
	}
	return spilled
}

// simplify orders the registers so that the last are the easiest to colour.
func (a *allocator) simplify() []reg {
	degree := slices.Clone(a.degree)
	out := make([]bool, a.n)
	var left, easy, stack []reg
	for r := virtual; r < a.n; r++ {
		if a.alias[r] != r {
			continue
		}
		if degree[r] < colors {
			easy = append(easy, r)
		} else {
			left = append(left, r)
		}
	}
	remove := func(r reg) {
		out[r] = true
		stack = append(stack, r)
		for _, t := range a.adj[r] {
			if t >= virtual && a.alias[t] == t && !out[t] {
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
		left = slices.DeleteFunc(left, func(r reg) bool { return out[r] })
		if len(left) == 0 {
			return stack
		}
		remove(a.cheapest(left, degree))
	}
}

// cheapest returns the register whose loss hurts least for what it frees.
func (a *allocator) cheapest(left []reg, degree []int) reg {
	best := left[0]
	score := func(r reg) int {
		if a.temp[r] {
			return 1 << 40
		}
		return a.cost[r] * 1024 / degree[r]
	}
	for _, r := range left[1:] {
		if score(r) < score(best) {
			best = r
		}
	}
	return best
}

// hints lists for each register those it is copied to or from.
func (a *allocator) hints() map[reg][]reg {
	h := map[reg][]reg{}
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
var preference = [colors]reg{1, 2, 3, 4, 5, 0, 6, 7, 8, 9}

// pick chooses a register that is not taken, one that makes a move vanish if
// there is one.
func (a *allocator) pick(taken [colors]bool, hints []reg) reg {
	for _, h := range hints {
		if c := a.color[h]; c != none && c < colors && !taken[c] {
			return c
		}
	}
	for _, c := range preference {
		if !taken[c] {
			return c
		}
	}
	return none
}

// rewrite puts the colours into the code and drops moves to itself.
func (a *allocator) rewrite() {
	paint := func(r *reg) {
		if *r >= virtual {
			*r = a.color[a.find(*r)]
		}
	}
	for _, b := range a.m.blocks {
		kept := b.insts[:0]
		for _, in := range b.insts {
			if in.dst >= virtual {
				in.dst = a.color[a.find(in.dst)]
			}
			if in.src >= virtual {
				in.src = a.color[a.find(in.src)]
			}
			if in.isMove() && in.dst == in.src {
				continue
			}
			kept = append(kept, in)
		}
		b.insts = kept
		b.termUses(paint)
	}
}
