package live

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A stacks is the stacks of an aggregation as one tree, shown in place of its table: as
// an icicle or as rows. It is a picture of the moment that is shown.
type stacks struct {
	rows bool // a row a frame, and not a bar
	bare bool // frames alone: the other keys are no levels
	tree *flame.Tree
	of   moment        // that tree was made of
	busy bool          // one is being made
	rest time.Duration // before the next, so that they take no more than a fifth of a CPU

	path  []uint64   // where the cursor is, from the root
	zooms [][]uint64 // what has been made the root, one in the other
	at    int32      // the node of path,
	root  int32      // and of the last of zooms
	find  find

	icicle  chart.Icicle    // where frames stand, if there are no rows
	lines   []branch        // of rows
	open    map[uint64]bool // nodes of rows
	touched bool            // nodes have been opened or closed; until then the heaviest are open
	top     int             // the first level or row that is shown
}

// A moment is what a tree is made of. Of the same, the same tree is made.
type moment struct {
	line  *timeline.Timeline
	seq   uint64
	asked int // the filter
	how   meaning
	mark  time.Duration
	bare  bool
}

// noStacks says why there are no stacks to merge.
func noStacks(_ *Model, a *agg, v *section) string {
	switch {
	case v.stacks != nil:
	case len(v.all) == 0:
		return "the aggregation holds nothing yet"
	case !flame.IsStack(v.all[0].keys):
		return "no key of the aggregation is a stack() or ustack()"
	case !flow.Amounts(a.fn):
		return "only what count(), sum() and the histograms count adds up; " + a.fn.String() + "() does not"
	}
	return ""
}

// flaming returns the stacks that keys act on; nil if the table is shown.
func (m *Model) flaming() *stacks {
	if _, v := m.current(); v != nil {
		return v.stacks
	}
	return nil
}

// noTable says why nothing can be done with a table.
func (m *Model) noTable() string {
	if m.flaming() != nil {
		return "this is for the table: " + m.keys.Key("live.stacks") + " goes back to it"
	}
	return m.nothing()
}

// atOnce is how many frames are merged while one waits: about 2 ms.
const atOnce = 20_000

// refreshStacks makes the tree of the moment that is shown, or leaves it to Work if that
// takes long, and finds cursor and root in it.
func (m *Model) refreshStacks(a *agg, v *section) {
	f := v.stacks
	if now := m.momentOf(v); f.tree == nil || f.of != now {
		switch {
		case frames(v, atOnce) < atOnce:
			f.tree, f.of = flame.Merge(tableOf(a, v), flame.Options{Keys: !f.bare}), now
		case f.tree == nil:
			f.tree = flame.Merge(&trace.Table{}, flame.Options{})
		}
	}
	f.settle()
}

func (m *Model) momentOf(v *section) moment {
	now := moment{line: m.told().line, seq: m.shown().seq, asked: v.sieve.asked, how: m.meaning, bare: v.stacks.bare}
	if m.meaning == sinceMark {
		now.mark, _ = m.mark()
	}
	return now
}

// frames returns how many frames the keys have that the filter leaves, or at least most.
func frames(v *section, most int) int {
	n := 0
	for _, s := range v.all {
		for i := range s.keys {
			n += len(s.keys[i].Frames)
		}
		if n++; n >= most {
			break
		}
	}
	return n
}

// tableOf returns the keys that the filter leaves as a table that nobody changes.
func tableOf(a *agg, v *section) *trace.Table {
	t := &trace.Table{Name: a.name, Func: a.fn, Rows: make([]trace.Row, 0, v.left)}
	for _, s := range v.all {
		if !s.out {
			t.Rows = append(t.Rows, trace.Row{ID: s.id, Keys: s.keys, Value: s.value})
		}
	}
	return t
}

// A mergedMsg is a tree that was made beside the screen.
type mergedMsg struct {
	view string
	of   moment
	tree *flame.Tree
	took time.Duration
}

// Work returns what of the picture is to be made beside the screen; nil if nothing is.
func (m *Model) Work() tea.Cmd {
	var cmds []tea.Cmd
	for _, a := range m.shown().aggs {
		v := m.views[viewID(a)]
		if v == nil || v.stacks == nil || v.stacks.busy || v.stacks.of == m.momentOf(v) {
			continue
		}
		v.stacks.busy = true
		msg, t, o, rest := mergedMsg{view: viewID(a), of: m.momentOf(v)}, tableOf(a, v), flame.Options{Keys: !v.stacks.bare}, v.stacks.rest
		if m.held != nil || v.stacks.of.line == nil || v.stacks.of.bare != v.stacks.bare { // somebody waits
			rest = 0
		}
		cmds = append(cmds, func() tea.Msg {
			time.Sleep(rest)
			began := time.Now()
			msg.tree = flame.Merge(t, o)
			msg.took = time.Since(began)
			return msg
		})
	}
	return tea.Batch(cmds...)
}

// merged takes a tree. It is shown even if the run has gone on meanwhile: the next is
// under way then.
func (m *Model) merged(msg mergedMsg) {
	v := m.views[msg.view]
	if v == nil || v.stacks == nil {
		return
	}
	f := v.stacks
	f.busy, f.rest = false, min(4*msg.took, time.Second)
	if msg.of.line == m.told().line && msg.of.bare == f.bare {
		f.tree, f.of = msg.tree, msg.of
	}
}

// settle finds cursor and root in the tree, and the rows.
func (f *stacks) settle() {
	f.root = 0
	if n := len(f.zooms); n > 0 {
		f.root, _ = f.tree.Find(f.zooms[n-1])
	}
	f.at, _ = f.tree.Find(f.path)
	if !f.under(f.at, f.root) {
		f.at = f.root
	}
	f.find.run(f.tree)
	if f.rows {
		f.spread()
	}
}

// under reports whether n is root or below it.
func (f *stacks) under(n, root int32) bool {
	for n > root { // parents come first
		n = f.tree.Nodes[n].Parent
	}
	return n == root
}

// choose puts the cursor on a node.
func (f *stacks) choose(n int32) {
	if n >= 0 {
		f.at, f.path = n, f.tree.Path(n)
	}
}

// zoom makes the frame under the cursor the root of the picture.
func (f *stacks) zoom() {
	if f.at != f.root {
		f.zooms = append(f.zooms, f.tree.Path(f.at))
		f.path, f.top = f.tree.Path(f.at), 0
	}
}

// noZoom says why there is nothing to zoom to.
func (f *stacks) noZoom() string {
	if f.at == f.root {
		return "the frame under the cursor has the whole width already"
	}
	return ""
}

// out takes back one step: what has been looked for, or the last zoom.
func (f *stacks) out() {
	switch n := len(f.zooms); {
	case f.find.text() != "":
		f.find = find{}
	case n > 0:
		f.choose(f.root)
		f.zooms, f.top = f.zooms[:n-1], 0
	}
}

func (f *stacks) noOut() string {
	if len(f.zooms) == 0 && f.find.text() == "" {
		return "all is shown already"
	}
	return ""
}

// copy returns the functions from the outermost to that under the cursor and what they
// have, as programs that draw flame graphs read it.
func (m *Model) copyStack() tea.Cmd {
	a, v := m.current()
	f := v.stacks
	var text []byte
	for n := f.at; n > 0; n = f.tree.Nodes[n].Parent {
		name := f.tree.Full(n)
		if len(text) > 0 {
			name += ";"
		}
		text = append([]byte(name), text...)
	}
	return widget.AskCopy(string(text) + " " + quantity(a, f.tree.Nodes[f.at].Total))
}

// otherKeys reports whether a has keys beside its stacks.
func otherKeys(v *section) bool {
	return len(v.all) > 0 && slices.ContainsFunc(v.all[0].keys, func(k trace.Value) bool { return !flame.IsStack([]trace.Value{k}) })
}
