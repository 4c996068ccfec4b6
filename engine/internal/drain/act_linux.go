package drain

import (
	"fmt"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/record"
	"dscope.dev/engine/trace"
)

// record deals with the next record of the stream.
func (d *Drain) record(from *ring, raw []byte) error {
	if d.specs != nil && d.speculative(from, raw) {
		return nil
	}
	return d.deliverRecord(from, raw)
}

// deliverRecord deals with a record that belongs at this place of the stream.
func (d *Drain) deliverRecord(from *ring, raw []byte) error {
	if d.kept != nil {
		d.keep(from, raw)
		return nil
	}
	return d.decodeRecord(from, raw)
}

// decodeRecord decodes one record and does what it asks of the reader.
func (d *Drain) decodeRecord(from *ring, raw []byte) error {
	r, err := d.dec.Decode(from.CPU, d.now, raw)
	if err != nil {
		return fmt.Errorf("decode a record of CPU %d: %w", from.CPU, err)
	}
	if r.Example != nil {
		d.samples.add(from.CPU, r.Example)
		return nil
	}
	for _, a := range r.Acts {
		if err := d.act(&r.Event, a, from); err != nil {
			return err
		}
	}
	switch {
	case r.Part:
		d.add(d.parts.add(r)...)
		return nil
	case r.Event.Kind == trace.FaultEvent:
		d.add(d.parts.fault(&r.Event)...)
	}
	d.add(r.Event)
	return nil
}

func (d *Drain) add(events ...trace.Event) {
	d.press.end()
	d.batch = append(d.batch, events...)
	d.events += uint64(len(events))
}

// act does what a record asks of the reader. Actions on aggregations see
// everything that fired before them, so the aggregations are taken first,
// unless they were while the record lay in its buffer.
func (d *Drain) act(e *trace.Event, a record.Act, from *ring) error {
	switch a.Kind {
	case lower.ActExit:
		d.exited, d.exit = true, int(a.N)
		return nil
	case lower.ActSetopt:
		d.setopt(&e.Items[a.Item])
		return nil
	}
	if d.stale(from) {
		d.took = true
		if err := d.Take(); err != nil {
			return err
		}
	}
	if a.Kind == lower.ActPrinta {
		e.Items[a.Item] = d.dec.Printa(a.Call, d.totals.Printa(aggIndexes(a.Call), d.order()))
		return nil
	}
	a.Apply(d.totals)
	return nil
}

// aggIndexes returns the numbers of the aggregations that a printa names.
func aggIndexes(c *check.Call) []int {
	var list []int
	for _, a := range c.Aggs {
		list = append(list, a.Index)
	}
	if list == nil && c.Agg != nil {
		list = append(list, c.Agg.Index)
	}
	return list
}
