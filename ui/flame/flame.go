// Package flame merges the stacks of an aggregation into one tree, from the outermost
// frames to the innermost, as an icicle and a table of totals show it.
//
// Frames are merged by what they are called: of a function the module and the name, not
// the place within it. What has no symbol is told by its module and its offset there. Where
// only its address is known it is told, in a process, by its place in its page: that is
// what address randomisation leaves alone, for it moves whole pages. Two places of one
// module, called from the same frame, that lie alike in their pages become one so; a node
// that holds several addresses says it. What lies in no module that is known is one.
//
// A tree is a function of a table and nothing else, and never changes.
package flame

import (
	"cmp"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
)

// A Tree is the stacks of one aggregation at one moment.
type Tree struct {
	Nodes    []Node // the root first, parents before their children
	Cut      int64  // of the total of the root, what lies in frames that the budget left out
	Negative int    // rows below zero, which have no part in it

	below []int32 // the children of all nodes; numbers and not pointers, which cost the collector
	names []called
}

// A Node is a frame as it was called from one path of others.
type Node struct {
	ID          uint64 // of the path: the same in every tree in which there is one
	Total, Self int64
	Parent      int32 // of the root -1
	Depth       int32

	first, last int32 // where its children stand in Tree.below; see Below
	name        int32
}

// A called is a name and where it was found.
type called struct {
	Name
	addr  uint64
	moved bool // at other addresses too
}

// Options shape a tree. Zero bounds stand for the usual ones.
type Options struct {
	Keys bool // the other keys of the aggregation are its first levels

	Nodes, Depth, Breadth int // how many nodes there are, how deep, how many below one
}

// Usual bounds: the kernel walks 127 frames of either stack, and some more stand for
// functions put into others; more nodes than this nobody reads.
const (
	usualNodes   = 100_000
	usualDepth   = 400
	usualBreadth = 1_000
)

// IsStack reports whether a table has a stack among its keys.
func IsStack(keys []trace.Value) bool { return slices.ContainsFunc(keys, datum.HasFrames) }

// Merge returns the tree of a table whose values add up: of count(), sum() or a histogram.
func Merge(t *trace.Table, o Options) *Tree {
	m := &merger{Options: o, tree: &Tree{}, names: map[Name]int32{}}
	m.Nodes, m.Depth, m.Breadth = cmp.Or(o.Nodes, usualNodes), cmp.Or(o.Depth, usualDepth), cmp.Or(o.Breadth, usualBreadth)
	room := min(m.Nodes, 4*len(t.Rows)+1)
	m.tree.Nodes, m.breadth = make([]Node, 0, room), make([]int32, 1, room)
	m.children.grow(room)
	m.tree.Nodes = append(m.tree.Nodes, Node{Parent: -1, name: m.intern(Name{Kind: Whole, Symbol: "all"})})
	order := make([]weight, 0, len(t.Rows))
	for i := range t.Rows {
		switch n := t.Rows[i].Value; {
		case n > 0:
			order = append(order, weight{n, int32(i)})
		case n < 0:
			m.tree.Negative++
		}
	}
	// What comes first is in the tree when the budget ends.
	slices.SortFunc(order, func(a, b weight) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.row, b.row)) })
	for _, w := range order {
		m.add(&t.Rows[w.row])
	}
	return m.finish()
}

// A weight is the value of a row.
type weight struct {
	n   int64
	row int32
}

// A merger makes one tree.
type merger struct {
	Options
	tree     *Tree
	names    map[Name]int32
	recent   [1 << 12]met
	children index   // by parent and name
	breadth  []int32 // how many children each node has
	path     []int32 // names of the row, from the root
	last     []int32 // those of the row before,
	nodes    []int32 // and their nodes
}

// A met is a frame that came before, and its name.
type met struct {
	frame *trace.Frame
	kind  Kind
	name  int32
}

// add enters the value of a row where its stack ends.
func (m *merger) add(r *trace.Row) {
	m.path = m.path[:0]
	if m.Keys {
		for i, v := range r.Keys {
			if !datum.HasFrames(v) {
				m.path = append(m.path, m.intern(Name{Kind: Key, Symbol: datum.Text(v), Place: uint64(i)}))
			}
		}
	}
	before := len(m.path)
	for _, kind := range [...]Kind{User, Kernel} { // the process calls the kernel
		for i := range r.Keys {
			if v := &r.Keys[i]; v.Kind == trace.UstackValue && kind == User || v.Kind == trace.StackValue && kind == Kernel {
				for j := len(v.Frames) - 1; j >= 0; j-- {
					m.path = append(m.path, m.frame(&v.Frames[j], kind))
				}
			}
		}
	}
	if len(m.path) == before {
		m.path = append(m.path, m.intern(Name{Kind: Key, Symbol: "(no frames)"}))
	}
	m.enter(r.Value)
}

// enter walks along the path, which begins where that of the row before did.
func (m *merger) enter(value int64) {
	at, same := int32(0), 0
	for same < len(m.path) && same < len(m.nodes) && m.path[same] == m.last[same] {
		at = m.nodes[same]
		same++
	}
	m.nodes = m.nodes[:same]
	for i := same; i < len(m.path); i++ {
		key := uint64(at)<<32 | uint64(m.path[i])
		n := m.children.get(key)
		switch {
		case n != 0:
		case i >= m.Depth, len(m.tree.Nodes) >= m.Nodes, int(m.breadth[at]) >= m.Breadth:
			m.tree.Cut += value
			m.tree.Nodes[m.rest(at)].Self += value
			m.last, m.path = m.path, m.last
			return
		default:
			n = m.node(at, m.path[i])
			m.children.put(key, n)
		}
		at = n
		m.nodes = append(m.nodes, n)
	}
	m.tree.Nodes[at].Self += value
	m.last, m.path = m.path, m.last
}

// rest returns the node that stands for all that is left out below at.
func (m *merger) rest(at int32) int32 {
	name := m.intern(Name{Kind: Rest, Symbol: "(more)"})
	key := uint64(at)<<32 | uint64(name)
	n := m.children.get(key)
	if n == 0 {
		n = m.node(at, name)
		m.children.put(key, n)
	}
	return n
}

func (m *merger) node(parent, name int32) int32 {
	p := &m.tree.Nodes[parent]
	n := int32(len(m.tree.Nodes))
	m.breadth[parent]++
	m.breadth = append(m.breadth, 0)
	m.tree.Nodes = append(m.tree.Nodes, Node{ID: m.tree.names[name].hash(p.ID), Parent: parent, Depth: p.Depth + 1, name: name})
	return n
}

// frame returns the name of a frame.
func (m *merger) frame(f *trace.Frame, kind Kind) int32 {
	slot := &m.recent[(f.Addr*0x9e3779b97f4a7c15>>50^uint64(len(f.Symbol)))%uint64(len(m.recent))]
	if slot.frame != nil && slot.kind == kind && (slot.frame == f || *slot.frame == *f) {
		return slot.name
	}
	name := m.intern(NameOf(f, kind))
	if c := &m.tree.names[name]; c.addr == 0 {
		c.addr = f.Addr
	} else if c.addr != f.Addr {
		c.moved = true
	}
	*slot = met{f, kind, name}
	return name
}

func (m *merger) intern(n Name) int32 {
	i, ok := m.names[n]
	if !ok {
		i = int32(len(m.tree.names))
		m.names[n] = i
		m.tree.names = append(m.tree.names, called{Name: n})
	}
	return i
}

// finish adds up the totals and puts the children in order.
func (m *merger) finish() *Tree {
	t := m.tree
	t.below = make([]int32, len(t.Nodes)-1)
	at := int32(0)
	for i := range t.Nodes {
		t.Nodes[i].first, t.Nodes[i].last = at, at
		at += m.breadth[i]
	}
	for i := len(t.Nodes) - 1; i > 0; i-- {
		n := &t.Nodes[i]
		n.Total += n.Self
		p := &t.Nodes[n.Parent]
		p.Total += n.Total
		t.below[p.last] = int32(i)
		p.last++
	}
	t.Nodes[0].Total += t.Nodes[0].Self
	rank := m.ranks()
	for i := range t.Nodes {
		if list := t.Below(int32(i)); len(list) > 1 {
			slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(rank[t.Nodes[a].name], rank[t.Nodes[b].name]) })
		}
	}
	return t
}

// ranks returns which place each name has among all in order.
func (m *merger) ranks() []int32 {
	names := m.tree.names
	order := make([]int32, len(names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return names[a].compare(&names[b].Name) })
	rank := make([]int32, len(names))
	for i, n := range order {
		rank[n] = int32(i)
	}
	return rank
}

// Below returns the children of n, by kind and name.
func (t *Tree) Below(n int32) []int32 { return t.below[t.Nodes[n].first:t.Nodes[n].last] }

// Total returns what all stacks add up to.
func (t *Tree) Total() int64 { return t.Nodes[0].Total }

// Empty reports whether there is nothing in t.
func (t *Tree) Empty() bool { return len(t.Nodes) == 1 }

// Name returns what the frame of a node is called.
func (t *Tree) Name(n int32) Name { return t.names[t.Nodes[n].name].Name }

// Path returns the IDs of the nodes from the root to n, without that of the root.
func (t *Tree) Path(n int32) []uint64 {
	path := make([]uint64, t.Nodes[n].Depth)
	for ; t.Nodes[n].Parent >= 0; n = t.Nodes[n].Parent {
		path[t.Nodes[n].Depth-1] = t.Nodes[n].ID
	}
	return path
}

// Find follows a path that another tree gave, as far as there is one here.
func (t *Tree) Find(path []uint64) (n int32, whole bool) {
	for _, id := range path {
		i := slices.IndexFunc(t.Below(n), func(c int32) bool { return t.Nodes[c].ID == id })
		if i < 0 {
			return n, false
		}
		n = t.Below(n)[i]
	}
	return n, true
}

// Heaviest returns the child of n that has most of it; -1 if there is none.
func (t *Tree) Heaviest(n int32) int32 {
	best := int32(-1)
	for _, c := range t.Below(n) {
		if best < 0 || t.Nodes[c].Total > t.Nodes[best].Total {
			best = c
		}
	}
	return best
}

// ByTotal returns the children of n, those with most first.
func (t *Tree) ByTotal(n int32) []int32 {
	out := slices.Clone(t.Below(n))
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(t.Nodes[b].Total, t.Nodes[a].Total) })
	return out
}

// A Found is the frames whose names hold a text.
type Found struct {
	Hits  []bool // by node
	Nodes int
	Under int64 // what they add up to, a frame below another one not counted again
}

// Search returns the frames whose names hold text, in letters of any case; none for "".
func (t *Tree) Search(text string) Found {
	out := Found{Hits: make([]bool, len(t.Nodes))}
	if text == "" {
		return out
	}
	text = strings.ToLower(text)
	hit := make([]bool, len(t.names))
	for i := range t.names {
		hit[i] = t.names[i].Kind != Whole && strings.Contains(strings.ToLower(t.names[i].full()), text)
	}
	covered := make([]bool, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Parent >= 0 {
			covered[i] = covered[n.Parent] || out.Hits[n.Parent]
		}
		if out.Hits[i] = hit[n.name]; out.Hits[i] {
			out.Nodes++
			if !covered[i] {
				out.Under += n.Total
			}
		}
	}
	return out
}
