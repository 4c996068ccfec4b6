package record

import (
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
)

// TestSpeculation reads what records have to do with speculations, with and
// without the time of the firing in every record, and what they count for.
func TestSpeculation(t *testing.T) {
	for _, temporal := range []bool{false, true} {
		o := ir.Options{Temporal: temporal}
		h, s := o.HeaderSize(), lower.SpecHeader(o)
		d, err := New(Config{Options: o, Units: []lower.Unit{{Sites: []lower.Site{{Key: 0}}}},
			Records: []ir.Record{
				{Size: h + 8, Fields: []ir.RecordField{{Off: h, Size: 5}}},
				{Size: s + 8, Fields: []ir.RecordField{{Off: s, Size: 4}}},
				{Size: h + 16, Fields: []ir.RecordField{{Off: h, Size: 8}, {Off: h + 8, Size: 8}}},
			},
			Layouts: []lower.Layout{
				{Actions: []lower.Action{{Kind: lower.ActExit, Data: []lower.Datum{{Off: h, Size: 4}}}}},
				{Spec: lower.SpecMember}, {Spec: lower.SpecDiscard},
			}})
		if err != nil {
			t.Fatal(err)
		}
		records := [][]byte{words([]uint64{0, 5, 0, 0, 0}), words([]uint64{1, 77, 99, 0}), words([]uint64{2, 77, 3})}
		if temporal {
			records = [][]byte{words([]uint64{0, 44, 5}), words([]uint64{1, 99, 77, 0}), words([]uint64{2, 44, 77, 3})}
		}
		want := []Speculation{{}, {Role: lower.SpecMember, Token: 77, Fired: 99}, {Role: lower.SpecDiscard, Token: 77, Begun: 3}}
		for i, rec := range records {
			if got := d.Speculation(rec); got != want[i] {
				t.Errorf("temporal %v: record %d is %+v, want %+v", temporal, i, got, want[i])
			}
			for n := range rec { // whatever is cut off, it is no panic
				d.Speculation(rec[:n])
				d.Weigh(rec[:n])
			}
		}
		for i, want := range []int{4 + 8, 4 + 4} {
			if n, exits := d.Weigh(records[i]); n != want || exits != (i == 0) {
				t.Errorf("temporal %v: record %d counts for %d, ends the run: %v", temporal, i, n, exits)
			}
		}
		if fired := d.Fired(records[0]); temporal && fired != 44 || !temporal && fired != 0 {
			t.Errorf("temporal %v: fired at %d", temporal, fired)
		}
	}
}
