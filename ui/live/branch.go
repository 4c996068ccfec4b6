package live

import (
	"slices"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/ink"
)

// A branch is a row of a tree of stacks.
type branch struct {
	node   int32
	indent int
}

// spread works out the rows: what lies below open nodes, those with most first. A frame
// that is alone below another stands below it without an indent, since stacks are deep.
func (f *stacks) spread() {
	if !f.touched {
		f.openHeavy()
	}
	for n := f.At; n != f.Root; { // the cursor is in view
		n = f.Tree.Nodes[n].Parent
		f.open[f.Tree.Nodes[n].ID] = true
	}
	f.lines = f.lines[:0]
	var walk func(n int32, indent int)
	walk = func(n int32, indent int) {
		f.lines = append(f.lines, branch{n, indent})
		if !f.open[f.Tree.Nodes[n].ID] {
			return
		}
		below := f.Tree.ByTotal(n)
		if len(below) > 1 || n == f.Root {
			indent++
		}
		for _, c := range below {
			walk(c, indent)
		}
	}
	walk(f.Root, 0)
}

// openHeavy opens the frames below which most is, as long as that is most.
func (f *stacks) openHeavy() {
	clear(f.open)
	for n := f.Root; n >= 0; n = f.Tree.Heaviest(n) {
		if p := f.Tree.Nodes[n].Parent; n != f.Root && 2*f.Tree.Nodes[n].Total < f.Tree.Nodes[p].Total {
			break
		}
		f.open[f.Tree.Nodes[n].ID] = true
	}
}

// row returns the row of the cursor.
func (f *stacks) row() int {
	return max(slices.IndexFunc(f.lines, func(b branch) bool { return b.node == f.At }), 0)
}

// expand opens the node under the cursor, or goes to what has most below it.
func (f *stacks) expand() {
	n := &f.Tree.Nodes[f.At]
	if len(f.Tree.Below(f.At)) > 0 && !f.open[n.ID] {
		f.touched, f.open[n.ID] = true, true
		return
	}
	f.Choose(f.Tree.Heaviest(f.At))
}

// collapse closes the node under the cursor, or goes to the one above it.
func (f *stacks) collapse() {
	n := &f.Tree.Nodes[f.At]
	switch {
	case f.open[n.ID] && len(f.Tree.Below(f.At)) > 0:
		f.touched, f.open[n.ID] = true, false
	case f.At != f.Root:
		f.Choose(n.Parent)
	}
}

// drawBranches draws the tree: a header, then a row for each frame.
func (m *Model) drawBranches(lines []string, l *ink.Line, p place) {
	f, k := p.v.stacks, m.looks
	digits := max(len(quantity(p.a, f.Tree.Total())), 7)
	cols := []chart.Column{
		{Title: "total", Min: digits, Right: true}, {Title: "self", Min: digits, Right: true, Drop: 2}, {Title: "share", Min: 6, Right: true},
		{Min: 10, Drop: 3}, {Title: "frame", Min: 12, Flex: true},
	}
	if m.w < 72 {
		cols[3].Min = m.w
	}
	widths := chart.Layout(cols, m.w-rowIndent)
	if p.h > 1 {
		l.Reset(m.w, ink.Ink{})
		l.Skip(rowIndent)
		chart.Cells(l, widths, func(i, w int) { k.HeaderCell(l, cols[i], w, i == 0, true) })
		m.put(lines, p.y+1, l)
	}
	for y := range min(p.stackLines(), len(f.lines)-f.Top) {
		m.drawBranch(l, p.a, f, f.lines[f.Top+y], widths)
		m.put(lines, p.y+2+y, l)
	}
}

func (m *Model) drawBranch(l *ink.Line, a *agg, f *stacks, b branch, widths []int) {
	k, n := m.looks, &f.Tree.Nodes[b.node]
	base, mark := ink.Ink{}, " "
	if b.node == f.At {
		mark = k.Glyph("▌", ">")
		if m.focused {
			base = k.Cursor
		}
	}
	l.Reset(m.w, base)
	l.Put(k.Title, mark)
	l.Skip(rowIndent - 1)
	chart.Cells(l, widths, func(i, w int) {
		switch i {
		case 0:
			l.Right(k.Value, quantity(a, n.Total), w)
		case 1:
			if n.Self == 0 {
				l.Right(k.Axis, k.Glyph("·", "."), w)
				return
			}
			l.Right(k.Value, quantity(a, n.Self), w)
		case 2:
			l.Right(k.Count, portion(n.Total, f.Tree.Total()), w)
		case 3:
			k.Bar(l, n.Total, n.Self, f.Tree.Total(), w)
		case 4:
			end := l.X() + w
			l.Skip(min(b.indent, max(w-10, 0)))
			fold := " "
			if len(f.Tree.Below(b.node)) > 0 {
				if fold = k.Glyph("▸", "+"); f.open[n.ID] {
					fold = k.Glyph("▾", "-")
				}
			}
			l.Put(k.Axis, fold)
			look, before := k.Key, " "
			switch {
			case f.find.hit(b.node):
				look, before = k.Match, "*"
			case f.Tree.Name(b.node).Kind == flame.Kernel:
				look = k.Delta
			}
			l.Put(k.Title, before)
			l.Fit(look, f.Tree.Full(b.node), min(end-l.X(), ink.Width(f.Tree.Full(b.node))))
		}
	})
}
