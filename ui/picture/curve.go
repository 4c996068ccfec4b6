package picture

import (
	"fmt"
	"math"
	"strings"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/widget"
)

// curveHeight is how high a curve can be.
const curveHeight = 240

// meaning says what a curve is of.
func (f *figure) meaning() string {
	if flow.Amounts(f.table.Func) {
		return "how much came a second"
	}
	return "what it was"
}

// keyName is what a row is called.
func keyName(r *trace.Row) string {
	if len(r.Keys) == 0 {
		return "all"
	}
	var out []string
	for _, v := range r.Keys {
		out = append(out, datum.Text(v))
	}
	return strings.Join(out, " ")
}

// curve draws the first keys over time, each in a tone and a dash of its own.
func (p *paper) curve(f *figure) {
	top, least := 0.0, 0.0
	for i := range f.columns {
		for n, v := range f.columns[i].values {
			if f.columns[i].known[n] {
				top, least = max(top, v), min(least, v)
			}
		}
	}
	if top == least {
		top = least + 1
	}
	left := float64(margin + 9*letter)
	w := (width - margin - left) / float64(max(len(f.columns), 1))
	head := float64(p.h)
	height := func(v float64) float64 { return head + curveHeight*(top-v)/(top-least) }
	for _, v := range []float64{top, (top + least) / 2, least} {
		p.text(left-6, height(v)+4, "m", "end", f.number(v))
	}
	p.rule(left, head, left, head+curveHeight)
	p.rule(left, height(0), width-margin, height(0))
	rows := f.table.Rows[:min(len(f.table.Rows), mostLines)]
	for n := range rows {
		dash := ""
		if n >= tones {
			dash = ` stroke-dasharray="5 3"`
		}
		fmt.Fprintf(p, `<path class="c c%d" stroke-width="1.6"%s d="%s"><title>%s</title></path>`+"\n", n%tones, dash, f.path(n, left, w, height), escape(keyName(&rows[n])))
	}
	p.times(f, left, w, head+curveHeight)
	for n := range rows {
		p.h += line
		y := float64(p.h)
		dash := ""
		if n >= tones {
			dash = ` stroke-dasharray="5 3"`
		}
		fmt.Fprintf(p, `<path class="c c%d" stroke-width="2"%s d="M%.5g %.5gh24"/>`+"\n", n%tones, dash, left, y-4)
		p.text(left+32, y, "t", "start", fit(keyName(&rows[n]), width-left-margin-32))
	}
	if more := len(f.table.Rows) - len(rows); more > 0 {
		p.h += line
		p.text(left, float64(p.h), "m", "start", "and "+widget.Count(more, "key")+" of less")
	}
}

// path is where the curve of a key goes: a point in the middle of each interval.
func (f *figure) path(n int, left, w float64, height func(float64) float64) string {
	var b strings.Builder
	pen := "M"
	for x := range f.columns {
		if c := &f.columns[x]; len(c.known) == 0 { // nothing is kept of it by itself
			continue
		} else if !c.known[n] {
			pen = "M"
			continue
		}
		fmt.Fprintf(&b, "%s%.5g %.5g", pen, left+(float64(x)+0.5)*w, height(f.columns[x].values[n]))
		pen = "L"
	}
	if b.Len() > 0 && !strings.Contains(b.String(), "L") { // one point alone would not be seen
		b.WriteString("h1")
	}
	return b.String()
}

// number writes a value of the axis.
func (f *figure) number(v float64) string {
	if f.unit == unit.None || flow.Amounts(f.table.Func) || math.Abs(v) > 1<<62 {
		return chart.Short(v)
	}
	return f.unit.Label(int64(v), int64(v))
}
