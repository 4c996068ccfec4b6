package live

import (
	"fmt"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flow"
)

// A table leaves some other keys in view beside an open one: in a low pane the histogram below
// a key has as many neighbouring buckets in each bar as it takes for all of them to be seen.

// besides is how many other keys stay in view, where there are such.
const besides = 3

// leastBars is the fewest lines of a histogram.
const leastBars = 3

// squeeze notes how many lines may stand below an open key, of h that hold rows.
func (v *section) squeeze(a *agg, h int) {
	v.fits = 1 << 20
	if v.rowLines(a) == 1 { // a histogram that stands alone scrolls
		v.fits = max(h-1-min(besides, len(v.rows)-1), leastBars)
	}
}

// roomy reports whether a key may be open unasked: others stay in view beside the least of it.
func (v *section) roomy(a *agg, s *series) bool {
	const around = 3 // title, header, and the row of the key
	n := v.before(a, s)
	if a.fn.IsHistogram() {
		n += min(s.axis.Lines(), leastBars)
	}
	return v.room == 0 || v.rowLines(a) == 0 || v.room >= around+n+min(besides, len(v.rows)-1)
}

// axis returns the buckets that the histogram of a key is drawn with. Those at the ends in which
// nothing has ever been are left out where there is not room for all.
func (v *section) axis(a *agg, s *series) chart.Axis {
	room := max(v.fits-v.before(a, s), leastBars)
	if s.axis.Lines() <= room {
		return s.axis
	}
	from, to := s.axis.Used(s.sums)
	for per := 1; ; per++ {
		if out := s.axis.Coarser(per, from, to); out.Lines() <= room || per >= to-from {
			return out
		}
	}
}

// coarse says how many buckets are one bar below the key under the cursor; "" if each is.
func (v *section) coarse(a *agg) string {
	s := v.selected()
	if s == nil || !a.fn.IsHistogram() || !v.opened(a, s) {
		return ""
	}
	axis := v.axis(a, s)
	from, to := s.axis.Used(s.sums)
	if n := len(axis.Buckets()); n > 0 && n < to-from {
		return fmt.Sprintf("  a bar %d buckets", (to-from+n-1)/n)
	}
	return ""
}

// A histogram is what is drawn of one.
type histogram struct {
	axis chart.Axis
	bars []chart.Bar
}

// histogram places the histogram of a key on an axis that may be coarser than its own.
func (m *Model) histogram(a *agg, s *series, axis chart.Axis) histogram {
	if !a.fn.IsHistogram() {
		return histogram{}
	}
	came := s.fresh()
	if came != nil {
		list := axis.Gather(flow.AppendSince(nil, s.sums, s.was))
		came = func(b trace.Bucket) int64 { return flow.Count(list, b) }
	}
	h := histogram{axis, axis.Bars(axis.Gather(s.buckets), came)}
	h.axis.Fit(h.bars)
	h.axis.Max = s.most
	for i := range h.bars {
		h.axis.Max = max(h.axis.Max, magnitude(h.bars[i].Total))
		if b, ok := axis.BucketAt(i); ok {
			h.bars[i].Label = m.label(a, b)
		}
	}
	h.axis.SetLabelWidth(m.labelWidth(a))
	return h
}
