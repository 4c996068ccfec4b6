package drain

import (
	"dscope.dev/engine/internal/plan"
	"github.com/cilium/ebpf"
)

// Extend makes the drain understand what the programs of an extension write, which are
// found by their names.
func (d *Drain) Extend(x *plan.Extension, programs func(name string) *ebpf.Program) error {
	d.names.Extend(x.Units)
	if err := d.dec.Extend(x.Lowered.IR.Records, x.Lowered.Layouts, d.names.Units(), x.Lowered.ActionsAt); err != nil {
		return err
	}
	for i, name := range x.Object.Progs[x.From:] {
		d.drops.watch(programs(name), probesOf(x.Object.Units[x.From+i]))
	}
	return nil
}
