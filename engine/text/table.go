package text

import (
	"math/bits"
	"strconv"

	"dscope.dev/engine/trace"
)

// appendTables prints aggregations row by row: the key once, then the value in
// each of them. Several tables have the same keys in the same order.
func (p *Printer) appendTables(b []byte, tables []trace.Table) []byte {
	if len(tables) == 0 {
		return b
	}
	if len(tables) == 1 && p.o.Aggs.packs(&tables[0]) {
		return p.appendPacked(b, &tables[0])
	}
	for i := range tables[0].Rows {
		for k := range tables[0].Rows[i].Keys {
			b = p.appendKey(b, &tables[0].Rows[i].Keys[k])
		}
		for j := range tables {
			b = p.appendValue(b, &tables[j], &tables[j].Rows[i])
		}
		b = append(b, '\n')
	}
	return b
}

// appendValue prints the value of a row, and what each CPU has added if that was
// kept.
func (p *Printer) appendValue(b []byte, t *trace.Table, r *trace.Row) []byte {
	b = p.appendOne(b, t, r)
	for _, s := range r.PerCPU {
		b = strconv.AppendInt(append(b, "\n    [CPU "...), int64(s.CPU), 10)
		b = p.appendOne(append(b, ']'), t, &trace.Row{Value: s.Value, Buckets: s.Buckets})
	}
	return b
}

// appendOne prints a value: a number in a column of 16, or a histogram beginning on
// a line of its own.
func (p *Printer) appendOne(b []byte, t *trace.Table, r *trace.Row) []byte {
	if t.Func.IsHistogram() {
		return AppendHistogram(b, r.Buckets, t.Normal, p.o.Aggs.Scale)
	}
	n := Shown(t, r)
	if t.Func == trace.Stddev {
		return padLeft(append(b, ' '), strconv.FormatUint(uint64(n), 10), 16)
	}
	return padInt(append(b, ' '), n, 16)
}

// Shown is the value of a row that is no histogram, normalized.
func Shown(t *trace.Table, r *trace.Row) int64 {
	switch {
	case t.Normal == 0 || t.Normal == 1:
		return r.Value
	case t.Func == trace.Count, t.Func == trace.Stddev:
		return int64(uint64(r.Value) / t.Normal)
	}
	return normalize(r.Value, t.Normal)
}

// Normalized is the count of a bucket, divided as normalize() asks.
func Normalized(n int64, normal uint64) int64 { return normalize(n, max(normal, 1)) }

// normalize divides a signed value by an unsigned one.
func normalize(v int64, normal uint64) int64 {
	if v < 0 {
		return -int64(-uint64(v) / normal)
	}
	return int64(uint64(v) / normal)
}

// AppendHistogram appends a histogram with its headline. The bars show the
// counts as they are; normalization divides the numbers beside them alone.
func AppendHistogram(b []byte, buckets []trace.Bucket, normal uint64, scale Scale) []byte {
	if normal == 0 {
		normal = 1
	}
	b = append(b, "\n           value  ------------- Distribution ------------- count    \n"...)
	s := sides{scale: scale}
	for i := range buckets {
		s.add(buckets[i].Count)
	}
	for i := range buckets {
		b = append(padLeft(b, buckets[i].Label, 16), ' ')
		b = s.appendBar(b, buckets[i].Count)
		b = append(b, ' ')
		at := len(b)
		b = strconv.AppendInt(b, normalize(buckets[i].Count, normal), 10)
		b = spaces(b, 9-(len(b)-at))
		b = append(b, '\n')
	}
	return b
}

// sides is what the bars of a histogram depend on: the sum of all counts
// without their signs, and whether there are counts of either sign (counts are
// negative where increments are).
type sides struct {
	scale              Scale
	largest            uint64
	hi, lo             uint64
	positive, negative bool
}

func (s *sides) add(n int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, magnitude(n), 0)
	s.hi += carry
	s.largest = max(s.largest, magnitude(n))
	s.positive = s.positive || n > 0
	s.negative = s.negative || n < 0
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// barWidth is how many characters a bar of everything takes.
const barWidth = 40

// appendBar draws the bar of one count: from a line on the left if no count is
// negative, to a line on the right if none is positive, and to either side of
// a line in the middle if there are both.
func (s *sides) appendBar(b []byte, n int64) []byte {
	switch {
	case !s.negative:
		depth := s.depth(n, barWidth)
		return spaces(ats(append(b, '|'), depth), barWidth-depth)
	case !s.positive:
		depth := s.depth(n, barWidth)
		return append(ats(spaces(b, barWidth-depth), depth), '|')
	case n <= 0:
		depth := s.depth(n, barWidth/2)
		b = ats(spaces(b, barWidth/2-depth), depth)
		return spaces(append(b, '|'), barWidth/2)
	}
	depth := s.depth(n, barWidth/2)
	return spaces(ats(append(spaces(b, barWidth/2), '|'), depth), barWidth/2-depth)
}

// depth is the part of width that n has in the sum, rounded to the nearest.
func (s *sides) depth(n int64, width uint64) int {
	if s.hi == 0 && s.lo == 0 {
		return 0
	}
	if s.scale == OfLargest {
		return int(float64(magnitude(n))*zoomed*float64(width)/float64(s.largest) + 0.5)
	}
	if s.hi == 0 && s.lo < 1<<56 {
		return int((2*magnitude(n)*width + s.lo) / (2 * s.lo))
	}
	sum := float64(s.hi)*(1<<64) + float64(s.lo)
	return int(float64(magnitude(n))*float64(width)/sum + 0.5)
}

func ats(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, '@')
	}
	return b
}
