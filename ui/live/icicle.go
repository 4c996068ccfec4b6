package live

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// stackFoot returns how many lines tell of the frame under the cursor and of what was
// looked for.
func (p place) stackFoot() int {
	n := 2
	if p.h < 10 {
		n = 1
	}
	if f := &p.v.stacks.find; f.typing || f.text() != "" {
		n++
	}
	return n
}

// stackLines returns how many levels or rows are in view.
func (p place) stackLines() int {
	head := 1
	if p.v.stacks.rows {
		head = 2
	}
	return max(p.h-head-p.stackFoot(), 0)
}

// showStacks moves the window so that the cursor is in it.
func (m *Model) showStacks(p place) {
	f, h := p.v.stacks, p.stackLines()
	if f.rows {
		f.Picture = nil
		f.Keep(f.row(), len(f.lines), h)
		return
	}
	f.Fit(m.w-1, h)
}

func (m *Model) stackUp(f *stacks) {
	if f.rows {
		f.scroll(-1)
	} else {
		f.Up()
	}
}

func (m *Model) stackDown(f *stacks) {
	if f.rows {
		f.scroll(+1)
	} else {
		f.Down()
	}
}

func (m *Model) stackLeft(f *stacks) {
	if f.rows {
		f.collapse()
	} else {
		f.Beside(-1)
	}
}

func (m *Model) stackRight(f *stacks) {
	if f.rows {
		f.expand()
	} else {
		f.Beside(+1)
	}
}

// scroll moves the cursor by rows, or by levels.
func (f *stacks) scroll(by int) {
	if f.rows {
		f.Choose(f.lines[min(max(f.row()+by, 0), len(f.lines)-1)].node)
		return
	}
	f.Scroll(by)
}

// clickStacks chooses what is at cell x of line y below the title; if that is chosen
// already, it zooms, or opens and closes.
func (f *stacks) clickStacks(p place, x, y int) {
	if y >= p.h-p.stackFoot() {
		return
	}
	if !f.rows {
		if y >= 1 {
			f.Click(y-1, x-1)
		}
		return
	}
	row := y - 2 + f.Top
	if y < 2 || row >= len(f.lines) {
		return
	}
	n := f.lines[row].node
	if again := n == f.At; again {
		id := f.Tree.Nodes[n].ID
		f.touched, f.open[id] = true, !f.open[id]
	}
	f.Choose(n)
}

// stacksTitle is what the title says of the picture, and of what is not in it.
func (f *stacks) stacksTitle() (text, lack string) {
	text = " icicle"
	if f.rows {
		text = " tree"
	}
	if f.Root != 0 {
		text += " of " + widget.Cut(f.Tree.Text(f.Root), 30)
	}
	if f.Tree.Cut > 0 {
		lack = "  " + portion(f.Tree.Cut, f.Tree.Total()) + " in frames left out"
	}
	if n := f.Tree.Negative; n > 0 {
		lack += "  " + widget.Count(n, "key") + " below zero left out"
	}
	return text, lack
}

// drawStacks draws an icicle or a tree into its place, below the title.
func (m *Model) drawStacks(lines []string, l *ink.Line, p place) {
	f := p.v.stacks
	y := p.h - p.stackFoot()
	switch {
	case f.Tree.Empty():
		l.Reset(m.w, ink.Ink{})
		l.Skip(1)
		l.Put(m.looks.Axis, m.noTree(f))
		m.put(lines, p.y+1, l)
		return
	case f.rows:
		m.drawBranches(lines, l, p)
	default:
		for i := range min(p.stackLines(), len(f.Picture)-f.Top) {
			l.Reset(m.w, ink.Ink{})
			l.Skip(1)
			m.looks.IcicleLine(l, f.Tree, f.Picture[f.Top+i], func(n int32) chart.Tone { return m.looks.FrameTone(f.Tree.Name(n).Kind, f.mark(n)) })
			m.put(lines, p.y+1+i, l)
		}
	}
	if f.find.typing || f.find.text() != "" {
		m.drawFind(l, f)
		m.put(lines, p.y+y, l)
		y++
	}
	m.drawFrame(lines, l, p, y)
}

// noTree says why there is no picture.
func (m *Model) noTree(f *stacks) string {
	switch {
	case f.busy || f.of.line == nil:
		return "stacks are being merged " + m.looks.Glyph("…", "...")
	case f.Tree.Negative > 0:
		return "all values are below zero: they have no share of anything"
	}
	return "no stack has a value"
}

func (f *stacks) mark(n int32) chart.Mark {
	switch {
	case n == f.At:
		return chart.Here
	case f.find.hit(n):
		return chart.Hit
	}
	return chart.NoMark
}

// drawFrame tells of the frame under the cursor: what it is, and what it has.
func (m *Model) drawFrame(lines []string, l *ink.Line, p place, y int) {
	f, k := p.v.stacks, m.looks
	n := &f.Tree.Nodes[f.At]
	all := f.Tree.Total()
	numbers := fmt.Sprintf("%s total, %s of all", quantity(p.a, n.Total), portion(n.Total, all))
	if m.w < narrow {
		numbers = strings.TrimSuffix(numbers, " of all")
	}
	if n.Parent >= 0 && f.Tree.Nodes[n.Parent].Parent >= 0 {
		numbers += fmt.Sprintf(", %s of parent", portion(n.Total, f.Tree.Nodes[n.Parent].Total))
	}
	numbers += fmt.Sprintf("; %s self", quantity(p.a, n.Self))
	if n.Self > 0 {
		numbers += ", " + portion(n.Self, all)
	}
	name := f.Tree.Full(f.At)
	if kind := f.Tree.Name(f.At).Kind.String(); kind != "" {
		name = kind + " " + name
	}
	if more := f.Tree.Addresses(f.At); more != "" {
		name += " (" + more + ")"
	}
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	if p.h >= 10 {
		l.FitEnd(k.Title, name, m.w-1)
		m.put(lines, p.y+y, l)
		l.Reset(m.w, ink.Ink{})
		l.Skip(1)
		l.Put(k.Value, numbers)
	} else {
		l.FitEnd(k.Title, name, min(ink.Width(name), max(m.w-ink.Width(numbers)-3, 12)))
		l.Put(k.Value, "  "+numbers)
	}
	m.drawScale(l, p)
	m.put(lines, p.y+p.h-1, l)
}

// drawScale draws against the right edge which levels are in view and what the tones are,
// as far as there is room.
func (m *Model) drawScale(l *ink.Line, p place) {
	f, k := p.v.stacks, m.looks
	if f.rows {
		return
	}
	text := ""
	if h := p.stackLines(); h < len(f.Picture) {
		text = fmt.Sprintf("levels %d to %d of %d", f.Top+1, f.Top+h, len(f.Picture))
	}
	if _, _, ok := f.Picture.Find(f.At); !ok {
		text = "too narrow to draw: " + m.keys.Key("stacks.zoom") + " zooms"
	}
	const legend = 16
	if room := l.Left() - ink.Width(text) - 3; room >= legend {
		l.To(m.w - ink.Width(text) - 1 - legend)
		k.IcicleLegend(l)
	} else if room < 0 {
		return
	}
	l.To(m.w - ink.Width(text) - 1)
	l.Put(k.Axis, text)
}

func portion(part, all int64) string {
	if all <= 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*float64(part)/float64(all), 'f', 1, 64) + "%"
}

// quantity is what a frame has, as its aggregation is normalized.
func quantity(a *agg, n int64) string {
	n = a.divided(n)
	if n < 0 {
		return strconv.FormatInt(n, 10)
	}
	return widget.Group(uint64(n))
}
