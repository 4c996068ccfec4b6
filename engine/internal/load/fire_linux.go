package load

import (
	"fmt"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Fire runs the programs of BEGIN or END to their end.
func (k *Loaded) Fire(special string) error {
	for i, u := range k.c.Units {
		if u.Special != special {
			continue
		}
		var words [12]uint64 // the arguments of a raw tracepoint program; BEGIN and END have none
		o := &ebpf.RunOptions{Context: words[:]}
		if cpu := k.c.Options.CPU; cpu >= 0 {
			o.CPU, o.Flags = uint32(cpu), unix.BPF_F_TEST_RUN_ON_CPU
		}
		err := as(k.c.Comm, func() error {
			_, err := k.Prog(k.obj.Progs[i]).Run(o)
			return err
		})
		if err != nil {
			return fmt.Errorf("run %s: %w", special, err)
		}
	}
	return nil
}
