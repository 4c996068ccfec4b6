package ui

import (
	"fmt"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
)

// tellCost writes beside each clause of the script that runs what it costs. Once the
// text is another the editor shows it no more.
func (m *Model) tellCost(c trace.Cost) {
	if c.Window == 0 {
		return
	}
	asides := map[int]string{}
	for _, k := range c.Clauses {
		if i := int(k.Clause) - 1; i >= 0 && i < len(m.run.lines) {
			asides[m.run.lines[i]] = fmt.Sprintf("%s/s · %s · %s", chart.Short(k.Hits), nanos(k.Nanos), trace.Percent(k.Share))
		}
	}
	m.editor.SetAsides(m.run.of, asides)
}

// nanos writes a short time.
func nanos(ns float64) string {
	if ns < 10_000 {
		return fmt.Sprintf("%.0f ns", ns)
	}
	return fmt.Sprintf("%.0f us", ns/1000)
}
