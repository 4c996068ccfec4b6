package picture

import (
	"fmt"
	"math"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/widget"
)

// mostHistograms bounds how many keys a figure has histograms of.
const mostHistograms = 12

// histograms draws the bars of the first keys, all on one axis of buckets.
func (p *paper) histograms(f *figure) {
	rows := f.table.Rows[:min(len(f.table.Rows), mostHistograms)]
	for i := range rows {
		var axis chart.Axis
		axis.Grow(rows[i].Buckets, nil)
		if len(rows[i].Keys) > 0 {
			p.h += line
			p.text(margin, float64(p.h), "t", "start", fit(keyName(&rows[i]), width-2*margin))
		}
		p.bars(f, &axis, &rows[i])
	}
	if more := len(f.table.Rows) - len(rows); more > 0 {
		p.h += line
		p.text(margin, float64(p.h), "m", "start", "and "+widget.Count(more, "key")+" of less")
	}
}

// bars draws a histogram: a line a bucket.
func (p *paper) bars(f *figure, axis *chart.Axis, r *trace.Row) {
	left := float64(margin + 11*letter)
	room := width - margin - left - 12*letter
	top := float64(p.h + 6)
	p.h += 6
	for i, bar := range axis.Bars(r.Buckets, nil) {
		b, ok := axis.BucketAt(i)
		y := float64(p.h)
		p.h += 16
		if !ok || bar.Gap {
			p.text(left-6, y+12, "m", "end", "⋮")
			continue
		}
		n := spell.Bucketed(bar.Total, f.table.Normal)
		p.text(left-6, y+12, "m", "end", fit(bucketName(f.unit, b), left-margin))
		long := 0.0
		if bar.Total != 0 && axis.Max > 0 {
			long = max(math.Abs(float64(bar.Total))/float64(axis.Max)*room, 1)
		}
		class := "b"
		if bar.Total < 0 {
			class = "n"
		}
		if long > 0 {
			p.box(left, y+1, long, 14, class, fmt.Sprintf("%s: %d", bucketRange(f.unit, b), n))
		}
		p.text(left+long+6, y+12, "t", "start", fmt.Sprint(n))
	}
	p.rule(left, top, left, float64(p.h))
}
