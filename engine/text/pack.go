package text

import (
	"math"
	"math/bits"
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// AggLook is how aggregations are drawn, by options of the same names.
type AggLook struct {
	Hist  bool        // agghist: counts and sums have a bar
	Pack  bool        // aggpack: a histogram takes a line
	Scale spell.Scale // aggzoom
	ASCII bool        // draw packed histograms with letters rather than with blocks
}

// packs reports whether the rows of t are drawn a line each, with their keys in
// narrow columns. Stacks take lines of their own and leave no room for that.
func (l AggLook) packs(t *trace.Table) bool {
	for i := range t.Rows {
		for k := range t.Rows[i].Keys {
			if kind := t.Rows[i].Keys[k].Kind; kind == trace.StackValue || kind == trace.UstackValue {
				return false
			}
		}
	}
	switch t.Func.Shape() {
	case trace.NoShape:
		return l.Hist && t.Func.AddsUp()
	case trace.Powers, trace.Linear:
		return l.Pack
	}
	return false
}

// appendPacked prints an aggregation with a headline and a line for each row.
func (p *Printer) appendPacked(b []byte, t *trace.Table) []byte {
	if len(t.Rows) == 0 {
		return b
	}
	width := 0
	for i := range t.Rows[0].Keys {
		width += packedWidth(&t.Rows[0].Keys[i]) + 1
	}
	if !t.Func.IsHistogram() {
		return p.appendBars(b, t, width)
	}
	s := stripOf(t)
	return p.appendStrips(b, t, width, s)
}

// packedWidth is the column that a key takes.
func packedWidth(v *trace.Value) int {
	if v.Kind == trace.IntValue || v.Kind == trace.UintValue {
		switch v.Size {
		case 1:
			return 3
		case 2:
			return 5
		case 4:
			return 8
		}
	}
	return 16
}

func (p *Printer) appendPackedKey(b []byte, v *trace.Value) []byte {
	switch v.Kind {
	case trace.IntValue, trace.UintValue:
		return p.appendKey(b, v)
	case trace.BytesValue:
		if s, ok := spell.Chars(v.Str); ok && !p.o.RawBytes {
			return p.safe(spaces(append(b, ' '), 16-len(s)), s)
		}
		return appendBytes(b, v.Str)
	}
	s := spell.Line(v)
	return p.safe(spaces(append(b, ' '), 16-len(s)), s)
}

// appendBars prints counts or sums, each with a bar.
func (p *Printer) appendBars(b []byte, t *trace.Table, width int) []byte {
	head := "key"
	if width == 0 {
		width, head = 16, "value"
	}
	b = padLeft(append(b, '\n'), head, width)
	b = append(b, "  "+spell.BarHead+" count    \n"...)
	s := spell.Bars{Scale: p.o.Aggs.Scale}
	for i := range t.Rows {
		s.Add(t.Rows[i].Value)
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		for k := range r.Keys {
			b = p.appendPackedKey(b, &r.Keys[k])
		}
		b = append(s.Append(append(b, ' '), r.Value), ' ')
		at := len(b)
		b = strconv.AppendInt(b, spell.Shown(t, r), 10)
		b = append(spaces(b, 9-(len(b)-at)), '\n')
	}
	return b
}

// A strip is the range of buckets that all packed histograms of an aggregation
// show: of quantize() those that any of them uses and one on either side, of
// lquantize() all.
type strip struct {
	low, high           string // what stands at its ends
	lowWidth, highWidth int
	lowHead             int                      // columns of the headline before the first dot
	first               int                      // the number of the first bucket
	cells               int                      // buckets
	bucket              func(b trace.Bucket) int // its number
}

func stripOf(t *trace.Table) strip {
	if t.Func.Shape() == trace.Linear && len(t.Params) == 3 && t.Params[2] > 0 {
		return linearStrip(t.Params[0], t.Params[1], t.Params[2])
	}
	first, last := powersUsed(t)
	if first != 0 {
		first = max(first-1, -63)
	}
	last = min(last+1, 63)
	s := strip{first: first, cells: last - first + 1, bucket: powerOf, low: powerLabel(first), high: powerLabel(last)}
	s.lowWidth, s.highWidth = max(len(s.low), 4), max(len(s.high), 4)
	s.lowHead = s.lowWidth
	return s
}

// powersUsed finds the least and the greatest bucket that a row of t counts in.
func powersUsed(t *trace.Table) (first, last int) {
	some := false
	for i := range t.Rows {
		for _, b := range t.Rows[i].Buckets {
			n := powerOf(b)
			if b.Count == 0 {
				continue
			}
			if !some {
				first, last, some = n, n, true
			}
			first, last = min(first, n), max(last, n)
		}
	}
	return first, last
}

// powerOf numbers the buckets of quantize() from the middle: 0 is zero, 1 is 1, 2
// is 2 to 3, and so on, with a minus for those below zero.
func powerOf(b trace.Bucket) int {
	switch {
	case b.Low > 0:
		return bits.Len64(uint64(b.Low))
	case b.High < 0:
		return -bits.Len64(uint64(-b.High))
	}
	return 0
}

func powerLabel(n int) string {
	switch {
	case n > 0:
		return strconv.FormatInt(1<<(n-1), 10)
	case n < 0:
		return strconv.FormatInt(-(1 << (-n - 1)), 10)
	}
	return "0"
}

func linearStrip(base, limit, step int64) strip {
	levels := (limit - base) / step
	end := base + levels*step
	return strip{low: "< " + strconv.FormatInt(base, 10), high: ">= " + strconv.FormatInt(end, 10),
		lowWidth: 8, highWidth: 8, lowHead: 7, cells: int(levels) + 2,
		bucket: func(b trace.Bucket) int {
			switch {
			case b.High < base:
				return 0
			case b.Low >= end:
				return int(levels) + 1
			}
			return int((b.Low-base)/step) + 1
		}}
}

// appendStrips prints packed histograms.
func (p *Printer) appendStrips(b []byte, t *trace.Table, width int, s strip) []byte {
	b = append(b, '\n')
	if width > 0 {
		b = padLeft(b, "key", width)
	}
	b = append(padLeft(append(b, ' '), "min", s.lowHead), " ."...)
	for range s.cells {
		b = append(b, '-')
	}
	b = append(padRight(append(b, ". "...), "max", s.highWidth), " | count\n"...)
	for i := range t.Rows {
		r := &t.Rows[i]
		for k := range r.Keys {
			b = p.appendPackedKey(b, &r.Keys[k])
		}
		b = append(padLeft(spaces(b, lowGap(t)), s.low, s.lowWidth), " :"...)
		b = p.appendCells(b, r.Buckets, s)
		b = padRight(append(b, ": "...), s.high, s.highWidth)
		b = append(strconv.AppendInt(append(b, " | "...), r.Value, 10), '\n')
	}
	return b
}

// lowGap is what separates the keys from the least value, which lquantize() has in
// a column of eight without a blank before it.
func lowGap(t *trace.Table) int {
	if t.Func.Shape() == trace.Linear {
		return 0
	}
	return 1
}

// appendCells draws one character for each bucket.
func (p *Printer) appendCells(b []byte, buckets []trace.Bucket, s strip) []byte {
	counts := make([]int64, s.cells)
	total := 0.0
	for _, k := range buckets {
		if i := s.bucket(k) - s.first; i >= 0 && i < len(counts) {
			counts[i] = k.Count
		}
		n := math.Abs(float64(k.Count))
		if p.o.Aggs.Scale == spell.OfLargest {
			total = max(total, n/spell.Zoomed)
		} else {
			total += n
		}
	}
	const rising, falling, blocks = "__xxxxXX", "vvvvVV", "▁▂▃▄▅▆▇█"
	for _, n := range counts {
		f := math.Abs(float64(n)) / total
		switch {
		case n == 0:
			b = append(b, ' ')
		case n < 0:
			b = append(b, falling[int(f*float64(len(falling)-1)+0.5)])
		case p.o.Aggs.ASCII:
			b = append(b, rising[int(f*float64(len(rising)-1)+0.5)])
		default:
			i := 3 * int(f*7+0.5) // each takes three bytes
			b = append(b, blocks[i:i+3]...)
		}
	}
	return b
}
