package record

import (
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
)

// An Example is a record that was made as an example of a sample; see lower.Sample.
type Example struct {
	Sample  int    // its index in lower.Result.Samples
	Stratum int    // of the sample
	Slot    int    // the place that it takes from the one before
	Count   uint64 // of the firings of its part so far, with this one
	Time    uint64 // ns of the kernel's clock
	Value   int64
	Probe   trace.Probe
	Facts   []trace.Value
}

// soundExample reports whether all that an example must have lies inside its size bytes.
func soundExample(l lower.Layout, size int) bool {
	if len(l.Actions) != 1 {
		return false
	}
	a := l.Actions[0]
	return a.Kind == lower.ActExample && len(a.Data) >= lower.ExampleHead && a.Flag > 0 && a.Flag+len(a.Data)-lower.ExampleHead <= size
}

// example decodes one. Head data are of 8 bytes each: what the compiler lays out so.
func (d *Decoder) example(p *plan, probe *trace.Probe, rec []byte) *Example {
	a := &p.actions[0]
	word := func(i int) uint64 {
		m := a.Data[i]
		return unsigned(rec[m.Off : m.Off+m.Size])
	}
	e := &Example{Sample: p.example - 1, Stratum: int(word(lower.ExampleStratum)), Slot: int(word(lower.ExampleSlot)),
		Count: word(lower.ExampleCount), Time: word(lower.ExampleTime), Value: int64(word(lower.ExampleValue)), Probe: *probe}
	data := a.Data[lower.ExampleHead:]
	e.Facts = make([]trace.Value, len(data))
	for i := range data {
		e.Facts[i].Kind = trace.NoValue
		if rec[a.Flag+i] != 0 {
			e.Facts[i] = d.datum(data, i, probe, rec)
		}
	}
	return e
}
