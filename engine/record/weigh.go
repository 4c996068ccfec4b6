package record

import (
	"encoding/binary"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
)

// DTrace counts for a record the 4 bytes of its number and its data; buffers
// whose size the script sets are counted so.
const numberSize = 4

// weigh returns what a record of layout r counts for.
func weigh(r ir.Record, l lower.Layout, o ir.Options) int {
	head := o.HeaderSize()
	if l.Spec == lower.SpecMember {
		head = lower.SpecHeader(o)
	}
	end := head
	for _, f := range r.Fields {
		end = max(end, f.Off+f.Size)
	}
	return numberSize + (end-head+3)&^3
}

// exits reports whether a layout has a call of exit().
func exits(l lower.Layout) bool {
	for _, a := range l.Actions {
		if a.Kind == lower.ActExit {
			return true
		}
	}
	return false
}

// Weigh returns how many bytes a record counts for, and whether it ends the run.
func (d *Decoder) Weigh(rec []byte) (size int, exits bool) {
	if len(rec) < d.head {
		return 0, false
	}
	index := binary.LittleEndian.Uint32(rec)
	if uint64(index) >= uint64(len(d.plans)) {
		return 0, false
	}
	p := &d.plans[index]
	return p.weight, p.exits
}

// Heaviest returns the most that any record counts for.
func (d *Decoder) Heaviest() int {
	most := 0
	for i := range d.plans {
		if !d.plans[i].fault {
			most = max(most, d.plans[i].weight)
		}
	}
	return most
}
