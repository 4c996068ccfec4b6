package mach

import (
	"math/bits"
	"slices"
)

// A graph says which registers are live at the same time. Its edges are lists of
// neighbours: a function has thousands of registers and each a few dozen
// neighbours. Only the machine's own have many; they are a bit at the other end.
type graph struct {
	near   []uint16 // which machine registers each interferes with
	adj    [][]Reg  // virtual neighbours; may name registers that were joined since
	degree []int
	alias  []Reg   // what a register was joined with, or itself
	seen   []int32 // marks of the registers of a list; see mark
	tick   int32
}

// begin prepares for n registers.
func (g *graph) begin(n Reg) {
	g.near, g.adj, g.degree, g.alias = zeros(g.near, n), empty(g.adj, n), zeros(g.degree, n), zeros(g.alias, n)
	g.seen, g.tick = zeros(g.seen, n), 0
	for r := range n {
		g.alias[r] = r
	}
}

// find returns what r was joined with.
func (g *graph) find(r Reg) Reg {
	for g.alias[r] != r {
		r = g.alias[r]
	}
	return r
}

// mark marks the neighbours of r with a number that no other register has as a
// mark, and returns it.
func (g *graph) mark(r Reg) int32 {
	g.tick++
	for _, t := range g.adj[r] {
		g.seen[t] = g.tick
	}
	return g.tick
}

// interfere reports whether two registers, of which y is virtual, may not be one.
func (g *graph) interfere(x, y Reg) bool {
	if x < Virtual {
		return g.near[y]&(1<<x) != 0
	}
	if len(g.adj[x]) < len(g.adj[y]) {
		x, y = y, x
	}
	return slices.Contains(g.adj[y], x)
}

// avoid records that the virtual register r interferes with machine registers.
func (g *graph) avoid(r Reg, machine uint16) {
	fresh := machine &^ g.near[r]
	g.near[r] |= fresh
	g.degree[r] += bits.OnesCount16(fresh)
}

// connect adds an edge that does not exist yet between virtual registers.
func (g *graph) connect(x, y Reg) {
	g.adj[x] = append(g.adj[x], y)
	g.adj[y] = append(g.adj[y], x)
	g.degree[x]++
	g.degree[y]++
}

// written records that d is written where the registers in live are live.
func (g *graph) written(d Reg, live regset) {
	if d < Virtual {
		g.overwritten(1<<d, live)
		return
	}
	mark := g.mark(d)
	for _, l := range live {
		switch {
		case l < Virtual:
			g.avoid(d, 1<<l)
		case l != d && g.seen[l] != mark:
			g.connect(d, l)
		}
	}
}

// overwritten records that machine registers change where those in live are live.
func (g *graph) overwritten(machine uint16, live regset) {
	for _, l := range live {
		if l >= Virtual {
			g.avoid(l, machine)
		}
	}
}

// george reports whether y can become the machine register x: every neighbour
// of y interferes with x already, or is easy to colour.
func (g *graph) george(x, y Reg) bool {
	for _, t := range g.adj[y] {
		if g.alias[t] == t && g.near[t]&(1<<x) == 0 && g.degree[t] >= colors {
			return false
		}
	}
	return true
}

// briggs reports whether the union of the virtual registers x and y has few
// neighbours that are hard to colour.
func (g *graph) briggs(x, y Reg) bool {
	hard := bits.OnesCount16(g.near[x] | g.near[y])
	ofY := g.mark(y)
	g.tick++
	both := g.tick
	for _, t := range g.adj[x] {
		if g.alias[t] != t {
			continue
		}
		d := g.degree[t]
		if g.seen[t] == ofY {
			g.seen[t] = both
			d--
		}
		if d >= colors {
			hard++
		}
	}
	for _, t := range g.adj[y] {
		if g.alias[t] == t && g.seen[t] != both && g.degree[t] >= colors {
			hard++
		}
	}
	return hard < colors
}

// join makes the virtual register y the same as x.
func (g *graph) join(x, y Reg) {
	g.alias[y] = x
	if x >= Virtual {
		g.avoid(x, g.near[y])
	}
	mark := g.mark(x)
	for _, t := range g.adj[y] {
		if g.alias[t] != t {
			continue
		}
		g.degree[t]-- // y is gone
		switch {
		case x < Virtual:
			g.avoid(t, 1<<x)
		case g.seen[t] != mark:
			g.connect(x, t)
		}
	}
}
