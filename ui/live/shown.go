package live

import (
	"strings"
	"time"

	"dscope.dev/engine/trace"
)

// A View is what the pane shows, in words of the run alone: enough to draw or to write the
// same elsewhere.
type View struct {
	Agg    string // the aggregation that keys act on
	Figure string // heat, curve or icicle; "" is the table
	At     time.Duration
	// Keep reports whether a row is shown. It may be called from anywhere.
	Keep func(t *trace.Table, r *trace.Row) bool
}

// View returns what is shown; false if that is nothing.
func (m *Model) View() (View, bool) {
	a, v := m.current()
	if a == nil {
		return View{}, false
	}
	out := View{Agg: a.name, At: m.shown().elapsed, Figure: kinds[v.kind].draws()}
	sift, only := v.sieve.filter, ""
	if s := v.selected(); s != nil && kinds[v.kind].one {
		only = s.id
	}
	out.Keep = func(_ *trace.Table, r *trace.Row) bool {
		if only != "" {
			return r.ID == only
		}
		return sift.Empty() || sift.Match(texts(r.Keys))
	}
	return out, true
}

// draws is what a kind draws, in one word for all of its forms; "" of the table.
func (k *kind) draws() string {
	switch {
	case k.key == "live.stacks":
		return "icicle"
	case strings.HasPrefix(k.name, "heat"):
		return "heat"
	case strings.HasPrefix(k.name, "curve"):
		return "curve"
	}
	return ""
}
