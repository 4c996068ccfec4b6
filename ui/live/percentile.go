package live

import (
	"math"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
)

// A quantile is a column that tells below which bucket so many of the values of a key
// lie. A histogram knows no more than the bucket, so that is what is shown.
type quantile struct {
	kind  column
	title string
	part  float64
	drop  int // as chart.Column
}

// quantiles are in the order of their columns; p99 stays longest, for who asks how slow
// something is asks for that.
var quantiles = []quantile{
	{p50Column, "p50", 0.50, 6},
	{p90Column, "p90", 0.90, 8},
	{p99Column, "p99", 0.99, 2},
	{maxColumn, "max", 1, 7},
}

// quantileWidth is what such a column takes: 32.8–65.5us.
const quantileWidth = 11

// bucket returns the bucket in which a quantile lies.
func (s *series) bucket(part float64) (trace.Bucket, bool) {
	return chart.Quantile(s.buckets, part)
}

// quantileOf returns what is known of a column that is a quantile, nil if it is none.
func quantileOf(kind column) *quantile {
	for i := range quantiles {
		if quantiles[i].kind == kind {
			return &quantiles[i]
		}
	}
	return nil
}

// rank orders keys by a quantile: by the lower end of its bucket.
func (s *series) rank(q *quantile) int64 {
	if b, ok := s.bucket(q.part); ok {
		return b.Low
	}
	return math.MinInt64
}

// spell writes the bucket of a quantile, as people read it or in raw numbers.
func (m *Model) spell(a *agg, s *series, q *quantile) string {
	b, ok := s.bucket(q.part)
	if !ok {
		return ""
	}
	return m.extent(a, b)
}

// percentiles is what stands beside the name of a histogram without keys.
func (m *Model) percentiles(a *agg) string {
	if !a.fn.IsHistogram() || len(a.types) > 0 || len(a.rows) != 1 {
		return ""
	}
	var out strings.Builder
	for _, s := range a.rows {
		for i := range quantiles {
			if text := m.spell(a, s, &quantiles[i]); text != "" {
				out.WriteString("  " + quantiles[i].title + " " + text)
			}
		}
	}
	return out.String()
}

// units returns in what the values are counted that fill t.
func units(t *trace.Table) unit.Unit {
	var args []string
	for _, o := range t.Origins {
		args = append(args, o.Arg)
	}
	return unit.Agreed(args)
}

// toRaw shows values in raw numbers, or as people read them again.
func (m *Model) toRaw() tea.Cmd {
	m.raw = !m.raw
	return nil
}

// noQuantiles says why there is nothing to show in raw numbers.
func (m *Model) noQuantiles() string {
	if a, _ := m.current(); a == nil || !a.fn.IsHistogram() {
		return "this is no histogram"
	}
	return ""
}
