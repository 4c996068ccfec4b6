package live

import (
	"cmp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/flame"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A find is a text by which frames are looked for.
type find struct {
	typing bool
	input  widget.Input
	of     *flame.Tree // in which was looked,
	query  string      // for this,
	found  flame.Found // and this is it
}

func (f *find) text() string { return f.input.Value() }

// begin lets a text be typed. What is there already is selected.
func (f *find) begin() {
	f.typing = true
	f.input.SelectAll()
}

// run looks for the text if that has not been done.
func (f *find) run(t *flame.Tree) {
	if f.of != t || f.query != f.text() {
		f.of, f.query = t, f.text()
		f.found = t.Search(f.query)
	}
}

func (f *find) hit(n int32) bool { return f.query != "" && f.found.Hits[n] }

// none says why there is nothing to go to.
func (f *find) none() string {
	switch {
	case f.text() == "":
		return "nothing has been looked for"
	case f.found.Nodes == 0:
		return "no frame has " + widget.Safe(f.text()) + " in its name"
	}
	return ""
}

// findActs are what keys do while a text is typed.
var findActs = widget.Table[Model]{Context: "live.find", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: onStacks(func(_ *Model, f *stacks) {
		if f.find.typing = false; f.find.none() == "" && !f.find.hit(f.At) {
			f.toNext()
		}
	})},
	{Name: "list.close", Do: onStacks(func(_ *Model, f *stacks) { f.find = find{} })},
}}

// finding reports whether letters are text of a find now.
func (m *Model) finding() bool {
	f := m.flaming()
	return f != nil && f.find.typing
}

// typeFind handles a key while a text is typed.
func (m *Model) typeFind(msg tea.KeyMsg) (cmd tea.Cmd) {
	if act := findActs.Find(m.keys, msg); act != nil {
		cmd, m.why = act.Try(m)
		return cmd
	}
	m.flaming().find.input.Press(m.keys, msg)
	return nil
}

// toNext goes to the frame found that has next less than that under the cursor, or else
// to the one that has most; frames below others that were found are passed over.
func (f *stacks) toNext() {
	t, hits := f.Tree, f.find.found.Hits
	covered := make([]bool, len(t.Nodes))
	var list []int32
	for i := range t.Nodes {
		if p := t.Nodes[i].Parent; p >= 0 {
			covered[i] = covered[p] || hits[p]
		}
		if hits[i] && !covered[i] {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(t.Nodes[b].Total, t.Nodes[a].Total) })
	n := list[(slices.Index(list, f.At)+1)%len(list)]
	if !f.Under(n, f.Root) {
		f.Whole()
	}
	f.Choose(n)
}

// drawFind draws the text and the share that lies under the frames found.
func (m *Model) drawFind(l *ink.Line, f *stacks) {
	k, d := m.looks, &f.find
	right := widget.Count(d.found.Nodes, "frame")
	if all := f.Tree.Total(); all > 0 && d.found.Nodes > 0 {
		right = portion(d.found.Under, all) + " of all under " + right
	}
	right = widget.Cut(right, max(m.w-12, 0))
	l.Reset(m.w, ink.Ink{})
	l.Put(k.Title, " find ")
	if d.typing {
		d.input.Draw(l, m.w-ink.Width(right)-8, k.Value, k.Cursor)
	} else {
		l.Put(k.Match, widget.Cut(widget.Safe(d.text()), max(m.w-ink.Width(right)-8, 0)))
	}
	l.To(m.w - ink.Width(right) - 1)
	l.Put(k.Value, right)
}
