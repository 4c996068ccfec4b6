package text

import (
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
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
	var room [20]byte
	digits := spell.AppendAmount(room[:0], t.Func, spell.Shown(t, r))
	return append(spaces(append(b, ' '), 16-len(digits)), digits...)
}

// AppendHistogram appends a histogram with its headline.
func AppendHistogram(b []byte, buckets []trace.Bucket, normal uint64, scale spell.Scale) []byte {
	b = append(b, "\n           value  "+spell.BarHead+" count    \n"...)
	return spell.AppendHistogram(b, buckets, normal, scale, 0)
}
