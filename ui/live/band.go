package live

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flow"
)

// A row of a heat map is a band: a bucket, or as many neighbours as it takes for all that
// was ever reached to be in view. A slow tail that had to be scrolled to would be missed.

// reach takes in the buckets that have been reached; rows are never taken away again.
func (h *heat) reach(list []trace.Bucket) {
	for _, b := range list {
		if b.Count == 0 {
			continue
		}
		if !h.reached {
			h.least, h.greatest, h.reached = b.Low, b.Low, true
		}
		h.least, h.greatest = min(h.least, b.Low), max(h.greatest, b.Low)
	}
}

// buckets returns those that belong into the picture, ascending.
func (h *heat) buckets(a *agg) []trace.Bucket {
	all := a.axis.Buckets()
	for len(all) > 0 && h.reached && all[0].Low < h.least {
		all = all[1:]
	}
	for len(all) > 0 && h.reached && all[len(all)-1].Low > h.greatest {
		all = all[:len(all)-1]
	}
	return all
}

// per returns how many buckets a row stands for.
func (h *heat) per(a *agg) int {
	n := len(h.buckets(a))
	return max((n+max(h.rows, 1)-1)/max(h.rows, 1), 1)
}

// bands returns the rows, the greatest first.
func (h *heat) bands(a *agg) []trace.Bucket {
	list, per := h.buckets(a), h.per(a)
	var out []trace.Bucket
	for end := len(list); end > 0; end -= per {
		out = append(out, chart.Span(list[max(end-per, 0)], list[end-1]))
	}
	return out
}

// bandOf returns in which of the rows the values from low on are.
func bandOf(bands []trace.Bucket, low int64) int {
	for i, b := range bands {
		if low >= b.Low {
			return i
		}
	}
	return max(len(bands)-1, 0)
}

// within returns how many of the counts lie in a row.
func within(list []trace.Bucket, band trace.Bucket) (n int64) {
	for _, b := range list {
		if b.Low >= band.Low && b.High <= band.High {
			n += b.Count
		}
	}
	return n
}

// tail returns the bucket from which on the greatest hundredth of all lies that came in the
// intervals that are shown.
func (h *heat) tail() (from trace.Bucket, ok bool) {
	var all []trace.Bucket
	var total, sum int64
	for _, c := range h.columns {
		all = flow.Join(all, c.counts)
		total += c.total
	}
	for i := len(all) - 1; i >= 0; i-- {
		if sum += all[i].Count; sum > 0 && sum >= (total+99)/100 {
			return all[i], true
		}
	}
	return from, false
}

// pickTail selects the greatest hundredth, and the stretch of time in which it came.
func (h *heat) pickTail(a *agg) (from, to corner, ok bool) {
	first, found := h.tail()
	list := h.buckets(a)
	if !found || len(list) == 0 {
		return from, to, false
	}
	last := list[len(list)-1]
	for _, c := range h.columns {
		if within(c.counts, trace.Bucket{Low: first.Low, High: last.High}) == 0 {
			continue
		}
		if !ok {
			from, ok = cellCorner(first, c), true
		}
		to = cellCorner(last, c)
	}
	return from, to, ok
}

// label writes where a bucket begins: as people read it if the script says in what it
// counts, else as DTrace labels it.
func (m *Model) label(a *agg, b trace.Bucket) string {
	if m.raw || a.unit == unit.None {
		return b.Label
	}
	return m.sign(a.unit.Label(b.Low, b.High))
}

// sign writes text with the signs that the terminal can draw.
func (m *Model) sign(text string) string {
	return strings.Replace(text, "≥", m.looks.Glyph("≥", ">="), 1)
}

// labelWidth returns what labels take: of those that people read 1.02ms and 65.5us.
func (m *Model) labelWidth(a *agg) int {
	if m.raw || a.unit == unit.None {
		return a.axis.LabelWidth()
	}
	return 6
}

// rowText writes which values a row of a heat map stands for.
func (m *Model) rowText(a *agg, b trace.Bucket) string {
	switch {
	case a.unit != unit.None && !m.raw:
		return m.extent(a, b)
	case slices.ContainsFunc(a.axis.Buckets(), func(x trace.Bucket) bool { return x.Compare(b) == 0 }):
		return b.Label
	}
	return m.raws(b)
}

// extent writes all values of a bucket, as people read them or in raw numbers.
func (m *Model) extent(a *agg, b trace.Bucket) string {
	if m.raw {
		return m.raws(b)
	}
	return m.sign(a.unit.Range(b.Low, b.High, m.looks.Glyph("–", "-")))
}

// raws writes them in raw numbers.
func (m *Model) raws(b trace.Bucket) string {
	switch {
	case b.Low == math.MinInt64, b.High == math.MaxInt64:
		return b.Label
	case b.Low == b.High:
		return strconv.FormatInt(b.Low, 10)
	}
	return strconv.FormatInt(b.Low, 10) + m.looks.Glyph("–", "-") + strconv.FormatInt(b.High, 10)
}
