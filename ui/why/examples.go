package why

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/widget"
)

// examplesPage lists the examples inside, the greatest value first.
func (m *Model) examplesPage() page {
	p := page{kind: examplesPage, title: "Examples: " + m.of.String()}
	if m.none != "" {
		p.lines = []line{plainLine(asWarning, m.none)}
		return p
	}
	slices.SortStableFunc(m.q.Inside, func(a, b *trace.Example) int {
		if m.early {
			return a.Time.Compare(b.Time)
		}
		return cmp.Or(cmp.Compare(b.Value, a.Value), a.Time.Compare(b.Time))
	})
	cols := m.columns()
	var texts, heads []string
	for _, c := range cols {
		heads = append(heads, c.cell(c.title))
	}
	for i, e := range m.q.Inside {
		texts = texts[:0]
		for _, c := range cols {
			texts = append(texts, c.cell(c.text(e)))
		}
		p.lines = append(p.lines, line{text: strings.Join(texts, " "), example: i})
	}
	p.head = append(m.sizes(), plainLine(asHeading, strings.Join(heads, " ")))
	return p
}

// sort lists the examples in the other order.
func (m *Model) sort() tea.Cmd {
	m.early = !m.early
	m.push(m.examplesPage())
	return nil
}

// A listed is a column of the list.
type listed struct {
	title string
	width int
	right bool
	text  func(*trace.Example) string
}

func (c *listed) cell(text string) string {
	text = widget.Cut(text, c.width)
	gap := strings.Repeat(" ", max(c.width-width(text), 0))
	if c.right {
		return gap + text
	}
	return text + gap
}

// columns returns the columns of the list: what is known of every example, and of the
// dimensions those that people look for first.
func (m *Model) columns() []listed {
	out := []listed{{"time", 12, false, func(e *trace.Example) string { return clock(e.Time) }},
		{"CPU", 3, true, func(e *trace.Example) string { return strconv.Itoa(e.CPU) }}}
	for _, d := range []struct {
		expr, title string
		width       int
		right       bool
		from        int // the least width of the list
	}{{"pid", "pid", 7, true, 0}, {"tid", "tid", 7, true, 90}, {"execname", "process", 15, false, 0}} {
		if m.knows(d.expr) && m.w >= d.from {
			out = append(out, listed{d.title, d.width, d.right, func(e *trace.Example) string { return m.fact(e, d.expr) }})
		}
	}
	return append(out, listed{"value", 12, true, m.value}, listed{"of", 6, true, func(e *trace.Example) string { return count(int(e.Weight + 0.5)) }},
		listed{"file", max(m.w-72, 14), false, m.file})
}

// clock returns when something was: the time of day.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("15:04:05.000")
}

// knows reports whether a dimension is known of the examples.
func (m *Model) knows(expr string) bool {
	return slices.ContainsFunc(m.q.Origins, func(o trace.Origin) bool {
		return slices.ContainsFunc(o.Dims, func(d trace.Dimension) bool { return d.Expr == expr })
	})
}

// dims returns the dimensions of an example.
func (m *Model) dims(e *trace.Example) []trace.Dimension {
	if e.Origin < 0 || e.Origin >= len(m.q.Origins) {
		return nil
	}
	d := m.q.Origins[e.Origin].Dims
	return d[:min(len(d), len(e.Facts))]
}

// fact spells what is known of an example; "" if it is not.
func (m *Model) fact(e *trace.Example, expr string) string {
	for i, d := range m.dims(e) {
		if d.Expr == expr && e.Facts[i].Kind != trace.NoValue {
			return datum.Text(e.Facts[i])
		}
	}
	return ""
}

// file spells the file of an example, or else the first text that is not its process.
func (m *Model) file(e *trace.Example) string {
	other := ""
	for i, d := range m.dims(e) {
		if v := e.Facts[i]; v.Kind == trace.StringValue && d.Expr != "execname" {
			if d.Name == "file" {
				return datum.Text(v)
			}
			if other == "" {
				other = datum.Text(v)
			}
		}
	}
	return other
}

// value spells what went in: a difference of timestamps as a duration.
func (m *Model) value(e *trace.Example) string {
	if e.Origin >= 0 && e.Origin < len(m.q.Origins) {
		if arg := m.q.Origins[e.Origin].Arg; strings.Contains(arg, "timestamp") && strings.Contains(arg, "-") && !strings.ContainsAny(arg, "/*") {
			return duration(e.Value)
		}
	}
	return strconv.FormatInt(e.Value, 10)
}

// duration writes nanoseconds with three digits behind the point, so that those of a list
// stand below one another.
func duration(ns int64) string {
	d := time.Duration(ns)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d.Abs() >= unit {
			name := map[time.Duration]string{time.Second: "s", time.Millisecond: "ms", time.Microsecond: "us"}[unit]
			return strconv.FormatFloat(float64(d)/float64(unit), 'f', 3, 64) + name
		}
	}
	return d.String()
}

// examplePage shows all that is known of one example, its stacks frame by frame.
func (m *Model) examplePage(i int) page {
	e := m.q.Inside[i]
	p := page{kind: examplePage, title: "Example of " + m.of.String(), of: e}
	add := func(name, text string) { p.lines = append(p.lines, line{name: name, text: text, example: -1}) }
	add("value", m.value(e)+raw(m.value(e), e.Value))
	add("time", clock(e.Time))
	add("probe", widget.Safe(e.Probe.String()))
	add("stands for", widget.Count(int(e.Weight+0.5), "firing")+" of its bucket, CPU and interval")
	if !m.knows("cpu") {
		add("CPU", strconv.Itoa(e.CPU))
	}
	for j, d := range m.dims(e) {
		name := widget.Safe(d.Name)
		if v := e.Facts[j]; !datum.HasFrames(v) {
			add(name, datum.Text(v))
		} else {
			for n, f := range v.Frames {
				add(first(n, name), datum.Named(f))
			}
		}
	}
	return p
}

// raw returns the number where it is spelled in another way.
func raw(spelled string, v int64) string {
	if s := strconv.FormatInt(v, 10); s != spelled {
		return "  " + s
	}
	return ""
}

func first(n int, name string) string {
	if n > 0 {
		return ""
	}
	return name
}
