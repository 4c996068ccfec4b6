package why

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/difference"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/widget"
)

// rank has the answer worked out, which takes some ten milliseconds of many examples.
func (m *Model) rank() tea.Cmd {
	if m.none != "" || m.answer != nil {
		return nil
	}
	id, q := m.asked, m.q
	q.Inside = append([]*trace.Example(nil), q.Inside...) // which are listed in another order meanwhile
	return func() tea.Msg { return RankedMsg{id, difference.Rank(q)} }
}

// ranked takes an answer.
func (m *Model) ranked(msg RankedMsg) {
	if msg.id != m.asked {
		return
	}
	m.answer = &msg.answer
	for i := range m.pages {
		if m.pages[i].kind == rankingPage {
			m.pages[i] = m.rankingPage()
		}
	}
}

// sizes says how large the sample is.
func (m *Model) sizes() []line {
	var out []line
	for i, list := range [][]*trace.Example{m.q.Inside, m.q.Outside} {
		w := 0.0
		for _, e := range list {
			w += e.Weight
		}
		text := fmt.Sprintf("%s for %s", widget.Count(len(list), "example"), firings(w))
		if m.answer != nil {
			if s := [2]difference.Size{m.answer.Inside, m.answer.Outside}[i]; s.Effective < 0.9*float64(s.Examples) {
				text += fmt.Sprintf(", as good as %.0f", s.Effective)
			}
		}
		out = append(out, line{name: [2]string{"inside", "outside"}[i], text: text, look: asMuted, example: -1})
	}
	if m.thinned != "" {
		out = append(out, line{name: "kept", text: m.thinned, look: asMuted, example: -1})
	}
	return out
}

func firings(w float64) string {
	if w < 10_000 {
		return widget.Count(int(w+0.5), "firing")
	}
	return "about " + chart.Short(w) + " firings"
}

// rankingPage says what is different: the dimensions that differ most first, with their
// values; then those of which nothing can be claimed, and why.
func (m *Model) rankingPage() page {
	p := page{kind: rankingPage, title: "What is different about " + m.of.String()}
	if m.none != "" {
		p.lines = []line{plainLine(asWarning, m.none)}
		return p
	}
	p.head = m.sizes()
	switch {
	case m.answer == nil:
		p.lines = []line{plainLine(asMuted, "comparing …")}
		return p
	case len(m.q.Outside) == 0:
		p.lines = []line{plainLine(asWarning, "all examples are inside: select a part of the buckets, keys or time to compare it with the rest")}
		return p
	case len(m.answer.Groups) == 0:
		p.lines = []line{plainLine(asHeading, "no difference can be claimed")}
	}
	for _, g := range m.answer.Groups {
		p.addGroup(g)
	}
	m.addRest(&p)
	p.first()
	return p
}

// values is how many values of the first dimension of a group are shown, at most.
const values = 4

func (p *page) addGroup(g difference.Group) {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, plainLine(asText, ""))
	}
	f := &g[0]
	p.lines = append(p.lines, plainLine(asHeading, fmt.Sprintf("%s  differs in at least %.0f%%", nameOf(f), 100*f.Differs)))
	for i := range f.Values[:min(len(f.Values), values)] {
		p.lines = append(p.lines, valueLine("", f, i))
	}
	for i := range g[1:] {
		p.lines = append(p.lines, valueLine("also "+shortName(&g[1+i])+": ", &g[1+i], 0))
	}
}

func valueLine(before string, f *difference.Finding, i int) line {
	return line{text: before + valueText(f, &f.Values[i]), example: -1, finding: f, value: &f.Values[i]}
}

// addRest adds what cannot be claimed.
func (m *Model) addRest(p *page) {
	heading := func(text string) {
		p.lines = append(p.lines, plainLine(asText, ""), plainLine(asHeading, text))
	}
	add := func(name, text string) {
		p.lines = append(p.lines, line{name: name, text: text, look: asMuted, example: -1})
	}
	var same, silent []difference.Finding
	for _, f := range m.answer.Rest {
		if f.Silent != "" {
			silent = append(silent, f)
		} else {
			same = append(same, f)
		}
	}
	for i := range same {
		if i == 0 {
			heading("no difference found")
		}
		text := "all firings have the same"
		if h := same[i].Hidden; h > 0 {
			text = fmt.Sprintf("no value can differ by more than %.0f points", 100*h)
		}
		add(nameOf(&same[i]), text)
	}
	for i := range silent {
		if i == 0 {
			heading("the sample says nothing about")
		}
		add(nameOf(&silent[i]), silent[i].Silent)
	}
	for i, l := range m.answer.Left {
		if i == 0 {
			heading("not compared")
		}
		add(widget.Safe(l.Dim.Name), l.Why)
	}
}

// shortName names a dimension where values follow on the same line.
func shortName(f *difference.Finding) string {
	name := widget.Safe(f.Dim.Name)
	return name + [...]string{difference.Leaf: ", leaf", difference.Stack: ", whole", difference.Frame: ", frame"}[f.Part]
}

// nameOf names a dimension, with its expression where that says more.
func nameOf(f *difference.Finding) string {
	name := widget.Safe(f.Dim.Name)
	switch f.Part {
	case difference.Leaf:
		return name + ", innermost frame"
	case difference.Stack:
		return name + ", all of it"
	case difference.Frame:
		return name + ", any frame"
	}
	if f.Dim.Expr != f.Dim.Name && len(f.Dim.Expr) <= 24 {
		name += " (" + widget.Safe(f.Dim.Expr) + ")"
	}
	return name
}

// valueText spells a value of a dimension.
func valueText(f *difference.Finding, v *difference.Value) string {
	switch f.Part {
	case difference.Range:
		if v.Value.Kind == trace.UintValue {
			return fmt.Sprintf("%d to %d", uint64(v.Low), uint64(v.High))
		}
		return selection.Range(v.Low, v.High)
	case difference.Leaf, difference.Frame, difference.Stack:
		var frames []string
		for _, fr := range v.Value.Frames {
			frames = append(frames, datum.Named(fr))
		}
		return strings.Join(frames, " < ")
	}
	if text := datum.Text(v.Value); text != "" {
		return text
	}
	return `""`
}

// reading says all about the value under the cursor in one line.
func reading(v *difference.Value) string {
	side := func(name string, s difference.Share) string {
		return fmt.Sprintf("%s %s (%.0f-%.0f) in %d", name, percent(s.Part), 100*s.Low, 100*s.High, s.Examples)
	}
	text := side("inside", v.Inside) + ", " + side("outside", v.Outside)
	if v.Claimed {
		return text + fmt.Sprintf("; apart by %.0f-%.0f points", 100*v.Least, 100*v.Most)
	}
	return text + "; may be alike"
}

// percent writes a share with two digits.
func percent(p float64) string {
	if p > 0 && p < 0.0995 {
		return fmt.Sprintf("%.1f%%", 100*p)
	}
	return fmt.Sprintf("%.0f%%", 100*p)
}
