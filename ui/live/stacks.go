package live

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/icicle"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A stacks is the stacks of an aggregation as one tree, shown in place of its table: as
// an icicle or as rows. It is a picture of the moment that is shown.
type stacks struct {
	icicle.View
	rows bool          // a row a frame, and not a bar
	bare bool          // frames alone: the other keys are no levels
	of   moment        // that the tree was made of
	busy bool          // one is being made
	rest time.Duration // before the next, so that they take no more than a fifth of a CPU
	find find

	lines   []branch        // of rows
	open    map[uint64]bool // nodes of rows
	touched bool            // nodes have been opened or closed; until then the heaviest are open
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
	case !a.fn.AddsUp():
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
	if now := m.momentOf(v); f.Tree == nil || f.of != now {
		switch {
		case frames(v, atOnce) < atOnce:
			f.Tree, f.of = flame.Merge(tableOf(a, v), flame.Options{Keys: !f.bare}), now
		case f.Tree == nil:
			f.Tree = flame.Merge(&trace.Table{}, flame.Options{})
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

// Work returns what of the picture is to be made beside the screen, or later; nil if nothing is.
func (m *Model) Work() tea.Cmd {
	var cmds []tea.Cmd
	if m.Late() && !m.entering {
		m.entering = true
		cmds = append(cmds, func() tea.Msg { return EnterMsg{} })
	}
	places, _ := m.layout(nil)
	if cmd := m.trendsLater(places); cmd != nil {
		cmds = append(cmds, cmd)
	}
	for _, p := range places {
		a, v := p.a, p.v
		if cmd := v.readLater(); cmd != nil {
			cmds = append(cmds, cmd)
		}
		if v.stacks == nil || v.stacks.busy || v.stacks.of == m.momentOf(v) {
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
		f.Tree, f.of = msg.tree, msg.of
	}
}

// settle finds cursor and root in the tree, and the rows.
func (f *stacks) settle() {
	f.Show(f.Tree)
	f.find.run(f.Tree)
	if f.rows {
		f.spread()
	}
}

// out takes back one step: what has been looked for, or the last zoom.
func (f *stacks) out() {
	if f.find.text() != "" {
		f.find = find{}
		return
	}
	f.Out()
}

func (f *stacks) noOut() string {
	if !f.Zoomed() && f.find.text() == "" {
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
	for n := f.At; n > 0; n = f.Tree.Nodes[n].Parent {
		name := f.Tree.Full(n)
		if len(text) > 0 {
			name += ";"
		}
		text = append([]byte(name), text...)
	}
	return widget.AskCopy(string(text) + " " + quantity(a, f.Tree.Nodes[f.At].Total))
}

// otherKeys reports whether a has keys beside its stacks.
func otherKeys(v *section) bool {
	return len(v.all) > 0 && slices.ContainsFunc(v.all[0].keys, func(k trace.Value) bool { return !flame.IsStack([]trace.Value{k}) })
}
