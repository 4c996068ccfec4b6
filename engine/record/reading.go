package record

import (
	"errors"
	"fmt"

	"dscope.dev/dlang/function"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
)

// A reading is how an action is read whose data no other has.
type reading struct {
	sound func(data []lower.Datum) bool // whether there is all that make takes apart
	make  func(d *Decoder, it *trace.Item, a *action, probe *trace.Probe, rec []byte)
}

// readings are those of all such actions. Most new actions are one more, and an item of a
// kind that there is. Text of traced processes goes through text.AppendSafe: who shows the
// item does not look at it again.
var readings = map[function.ID]*reading{
	function.Ftruncate: {
		sound: func([]lower.Datum) bool { return true },
		make:  func(_ *Decoder, it *trace.Item, _ *action, _ *trace.Probe, _ []byte) { it.Kind = trace.FtruncateItem },
	},
	function.Print: {
		sound: func(data []lower.Datum) bool { return len(data) == 1 || len(data) == 2 && data[0].Size == 8 },
		make: func(d *Decoder, it *trace.Item, a *action, probe *trace.Probe, rec []byte) {
			it.Kind, it.Text = trace.PrintItem, d.print(a, probe, rec)
		},
	},
	function.Pcap: {
		sound: func(data []lower.Datum) bool { return len(data) == 5 },
		make: func(d *Decoder, it *trace.Item, a *action, _ *trace.Probe, rec []byte) {
			it.Kind, it.Rare = trace.PcapItem, &trace.Rare{Packet: d.packet(a, rec)}
		},
	},
}

// readingOf returns how an action is read.
func readingOf(a lower.Action) (*reading, error) {
	if a.Call == nil || a.Call.Fn == nil {
		return nil, errors.New("data of an action without a name")
	}
	r := readings[a.Call.Fn.ID]
	switch {
	case r == nil:
		return nil, fmt.Errorf("%s() records, and nothing is known of how to read that", a.Call.Fn.Name)
	case !r.sound(a.Data):
		return nil, fmt.Errorf("%s() has %d data, which it does not record like that", a.Call.Fn.Name, len(a.Data))
	}
	return r, nil
}
