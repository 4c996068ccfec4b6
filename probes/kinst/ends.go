package kinst

import (
	"cmp"
	"fmt"
	"slices"

	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/kernel"
)

// Where a copy of a function ends no table tells. Its code lies in pieces, between
// which the compiler has put code of its caller, and may be left from the middle of
// any of them. So the way of control through the function that holds the copy is
// followed: from where it is entered, through its code and through what lies between
// if that leads back to it. What comes next is where it ends. As a rule that is one
// instruction, to which all ways out of the copy lead and no other way: its first
// firing after the entry is the return. If other ways lead there too, the copy ends
// with its own last instructions. Of those that leave it on a condition, the program
// looks whether it is true; where that cannot be told they are no ends, and are named
// among what is left out.

// Where it is entered the debug information tells, also where the compiler has made its
// code twice, for two ways that lead to it: then one of the two.

// A node is an instruction, and where it leads.
type node struct {
	addr uint64 // in memory
	next []int
	last bool             // it leads, or may lead, out of the function
	jump probes.Condition // on which it leads to the last of next, or out
}

// An end is an instruction at which a copy has ended, or ends if a jump is taken.
type end struct {
	addr uint64
	jump probes.Condition // 0 if always
}

// A graph is the code of a function, with that which was moved away from it.
type graph struct {
	nodes []node
	at    map[uint64]int // by address
	from  [][]int        // the nodes that lead to each
	alive []bool         // what can be reached from the beginning
}

// A reading follows the code that is in memory now, for the kernel rewrites much of
// it as it starts.
type reading struct {
	arch   string
	syms   *kernel.Symbols
	image  *kernel.Image
	memory *kernel.Memory
	graphs map[binary.Range]*graph // of functions in one piece
}

// ends notes where copies end, and returns what cannot be known of them.
func (p *Provider) ends(image *kernel.Image, list []*binary.Copy, note func(c *binary.Copy, e end)) (vague []string, err error) {
	memory, err := p.kernel.Memory()
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	syms, err := p.kernel.Symbols()
	if err != nil {
		return nil, err
	}
	r := &reading{p.kernel.Arch(), syms, image, memory, map[binary.Range]*graph{}}
	for _, c := range list {
		ends, unsure, err := r.ends(c)
		for _, e := range ends {
			note(c, e)
		}
		if err == nil && unsure > 0 {
			err = fmt.Errorf("%d instructions may or may not leave it for where other code leads too", unsure)
		}
		if err != nil {
			vague = append(vague, fmt.Sprintf("ends in %s (line %d): %v", c.Into.Name, c.Line, err))
		}
	}
	return vague, nil
}

// ends returns where in memory a copy ends, and how many instructions may leave it
// without it being known.
func (r *reading) ends(c *binary.Copy) (ends []end, unsure int, err error) {
	g, err := r.graph(c)
	if err != nil {
		return nil, 0, err
	}
	entered, ok := r.image.Running(c.Entry)
	if !ok {
		return nil, 0, nil
	}
	entry, ok := g.at[entered]
	if !ok {
		return nil, 0, fmt.Errorf("no instruction begins where it is entered")
	}
	inside := make([]bool, len(g.nodes))
	for i, n := range g.nodes {
		at, ok := r.image.Linked(n.addr)
		inside[i] = ok && slices.ContainsFunc(c.Ranges, func(r binary.Range) bool { return r.Low <= at && at < r.High })
	}
	ends, unsure = g.leave(g.active(entry, inside), entry)
	return ends, unsure, nil
}

// reach marks the nodes to which ways lead from some, in one direction, that pass no
// node which is barred.
func reach(from []int, ways func(i int) []int, barred func(i int) bool, seen []bool) []bool {
	for len(from) > 0 {
		i := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[i] || barred(i) {
			continue
		}
		seen[i] = true
		from = append(from, ways(i)...)
	}
	return seen
}

// active marks what is executed between the entry of a copy and its end: its code,
// and what lies between.
func (g *graph) active(entry int, inside []bool) []bool {
	// What is reached without the entry was moved before it, and is done by then.
	before := reach([]int{0}, g.ways, func(i int) bool { return i == entry }, make([]bool, len(g.nodes)))
	var own []int
	for i := range inside {
		if inside[i] && !before[i] && i != entry {
			own = append(own, i)
		}
	}
	back := reach(own, func(i int) []int { return g.from[i] }, func(i int) bool { return i == entry }, make([]bool, len(g.nodes)))
	return reach([]int{entry}, g.ways, func(i int) bool { return i != entry && !back[i] }, make([]bool, len(g.nodes)))
}

// leave finds the instructions at which a copy has ended. Where all ways lead out of
// the copy, there it has; other ways out end with the instruction that takes them.
func (g *graph) leave(active []bool, entry int) (ends []end, unsure int) {
	outside := func(i int) bool { return !active[i] || i == entry }
	strange := func(i int) bool {
		return outside(i) && (i == entry || slices.ContainsFunc(g.from[i], func(from int) bool { return g.alive[from] && !active[from] }))
	}
	for i, n := range g.nodes {
		if !active[i] {
			if slices.ContainsFunc(g.from[i], func(from int) bool { return active[from] }) && !strange(i) {
				ends = append(ends, end{addr: n.addr})
			}
			continue
		}
		out := 0
		for _, to := range n.next {
			if strange(to) {
				out++
			}
		}
		switch {
		case (n.last || out > 0) && out == len(n.next):
			ends = append(ends, end{addr: n.addr})
		case n.last && n.jump != 0 && out == 0: // to another function
			ends = append(ends, end{n.addr, n.jump})
		case !n.last && n.jump != 0 && len(n.next) == 2 && out == 1:
			ends = append(ends, end{n.addr, n.leaving(strange)})
		case n.last || out > 0:
			unsure++
		}
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Compare(a.addr, b.addr) })
	return ends, unsure
}

// leaving returns the condition on which a jump leads to the one of two ways that is
// out.
func (n *node) leaving(out func(i int) bool) probes.Condition {
	if out(n.next[1]) {
		return n.jump
	}
	return n.jump.Opposite()
}

// mostParts is in how many parts a function may lie, mostPieces in how many a copy.
const (
	mostParts  = 8
	mostPieces = 1 << 10
)

// graph reads the functions that a copy has code in: the one that holds it, and what
// was moved away from that.
func (r *reading) graph(c *binary.Copy) (*graph, error) {
	var parts []binary.Range
	for _, low := range append([]uint64{c.Into.Entry}, lows(c.Ranges)...) {
		addr, ok := r.image.Running(low)
		if !ok {
			continue
		}
		part, ok := r.syms.Extent(addr)
		if !ok {
			continue
		}
		if whole := (binary.Range{Low: part[0], High: part[1]}); !slices.Contains(parts, whole) {
			parts = append(parts, whole)
		}
	}
	if len(parts) == 0 || len(parts) > mostParts || len(c.Ranges) > mostPieces {
		return nil, fmt.Errorf("its code is not where it should be")
	}
	if g := r.graphs[parts[0]]; g != nil && len(parts) == 1 {
		return g, nil
	}
	g := &graph{at: map[uint64]int{}}
	var flows []flow
	for _, part := range parts {
		code, err := r.memory.Read(part.Low, int(part.High-part.Low))
		if err != nil {
			return nil, err
		}
		list, err := Disassemble(r.arch, part.Low, code)
		if err != nil {
			return nil, err
		}
		for i, in := range list {
			f := in.flow
			if i == len(list)-1 { // a call there never returns
				f.ends, f.traps = true, f.traps || f.calls
			}
			g.at[part.Low+in.Offset] = len(g.nodes)
			g.nodes, flows = append(g.nodes, node{addr: part.Low + in.Offset}), append(flows, f)
		}
	}
	g.join(flows)
	if len(parts) == 1 {
		r.graphs[parts[0]] = g
	}
	return g, nil
}

func lows(list []binary.Range) (addrs []uint64) {
	for _, r := range list {
		addrs = append(addrs, r.Low)
	}
	return addrs
}

// join makes the ways between nodes of where their instructions lead.
func (g *graph) join(flows []flow) {
	g.from = make([][]int, len(g.nodes))
	for i, f := range flows {
		n := &g.nodes[i]
		if !f.ends {
			n.next = append(n.next, i+1)
		}
		if to, ok := g.at[f.target]; ok && f.target != 0 {
			n.next, n.jump = append(n.next, to), f.jump
		} else if f.target != 0 || f.ends {
			n.last, n.jump = !f.traps, f.jump
		}
	}
	for i, n := range g.nodes {
		for _, to := range n.next {
			g.from[to] = append(g.from[to], i)
		}
	}
	for i, f := range flows { // after a warning the kernel goes on; nothing else leads there
		if f.traps && i+1 < len(g.nodes) && len(g.from[i+1]) == 0 {
			g.nodes[i].next, g.from[i+1] = []int{i + 1}, []int{i}
		}
	}
	g.alive = reach([]int{0}, g.ways, func(int) bool { return false }, make([]bool, len(g.nodes)))
}

// ways returns the nodes to which one leads.
func (g *graph) ways(i int) []int { return g.nodes[i].next }
