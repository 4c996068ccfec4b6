package picture

import (
	"fmt"
	"strconv"
	"time"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/widget"
)

// mostBands bounds the rows of a heat map; more buckets than that share rows.
const mostBands = 48

// heat draws a heat map: a column an interval, a row a bucket, the greatest on top.
func (p *paper) heat(f *figure) {
	axis := f.axis()
	bands := axis.Buckets()
	cells, most := make([][]trace.Bucket, len(f.columns)), int64(0)
	for i := range f.columns {
		cells[i] = axis.Gather(f.columns[i].counts)
		for _, b := range cells[i] {
			most = max(most, b.Count)
		}
	}
	left := float64(margin + 11*letter)
	w, h := (width-margin-left)/float64(max(len(f.columns), 1)), 14.0
	top := float64(p.h)
	for y := range bands {
		b := bands[len(bands)-1-y]
		at := top + float64(y)*h
		p.text(left-6, at+11, "m", "end", fit(bucketName(f.unit, b), left-margin))
		for x := range f.columns {
			n := cells[x][len(bands)-1-y].Count
			if n <= 0 {
				continue
			}
			shade := int(chart.Degree(n, most)*(shades-1) + 0.5)
			p.box(left+float64(x)*w, at, max(w-0.5, 0.5), h-0.5, "h"+strconv.Itoa(shade),
				fmt.Sprintf("%s  %s: %d", f.columns[x].span(), bucketRange(f.unit, b), n))
		}
	}
	foot := top + float64(len(bands))*h
	p.rule(left, foot, width-margin, foot)
	p.times(f, left, w, foot)
	p.legend(left, most)
}

// axis returns the rows of a heat map: the buckets from the least to the greatest that has
// been reached, with those between them that nothing came into.
func (f *figure) axis() chart.Axis {
	var axis chart.Axis
	var reached []trace.Bucket
	for i := range f.columns {
		axis.Grow(f.columns[i].counts, nil)
		reached = flow.Join(reached, f.columns[i].counts)
	}
	for i := range f.table.Rows {
		axis.Grow(f.table.Rows[i].Buckets, nil)
	}
	from, to := axis.Used(reached)
	return axis.Coarser((to-from+mostBands-1)/mostBands, from, to)
}

// bucketName is where a bucket begins, as the axis has it.
func bucketName(u unit.Unit, b trace.Bucket) string {
	if u == unit.None {
		return b.Label
	}
	return u.Label(b.Low, b.High)
}

// bucketRange is what falls into a bucket.
func bucketRange(u unit.Unit, b trace.Bucket) string { return u.Range(b.Low, b.High, " to ") }

// span says from when to when an interval reaches.
func (c *column) span() string {
	return fmt.Sprintf("%s to %s", c.from.Round(time.Millisecond), c.to.Round(time.Millisecond))
}

// times draws the axis of time, and above it which intervals have lost something.
func (p *paper) times(f *figure, left, w, y float64) {
	n := len(f.columns)
	every := max(int(80/w), 1)
	for x := range f.columns {
		at := left + float64(x)*w
		if lost := f.columns[x].lost; lost > 0 {
			p.box(at, y, max(w, 1), 3, "n", fmt.Sprintf("%s  %d lost", f.columns[x].span(), lost))
		}
		if x%every == 0 && (n-x >= every/2 || x == 0) {
			p.rule(at, y, at, y+4)
			p.text(at+2, y+14, "m", "start", widget.Elapsed(f.columns[x].begins))
		}
	}
	p.h = int(y) + line
}

// legend says what the shades stand for.
func (p *paper) legend(left float64, most int64) {
	y := float64(p.h + 4)
	p.text(left, y+11, "m", "start", "1")
	for i := range shades {
		p.box(left+letter*1.5+float64(i)*10, y+1, 10, 11, "h"+strconv.Itoa(i), "")
	}
	p.text(left+letter*1.5+shades*10+6, y+11, "m", "start", fmt.Sprintf("%d in a cell", most))
	p.h += line
}
