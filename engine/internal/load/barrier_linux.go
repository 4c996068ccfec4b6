package load

import (
	"errors"

	"github.com/cilium/ebpf"
)

// A barrier waits for grace periods: times in which every CPU has ended what programs
// were running on it. Changing an element of a map of maps promises just that
// (maybe_wait_bpf_programs in kernel/bpf/syscall.c).
type barrier struct{ outer, inner *ebpf.Map }

func newBarrier() (*barrier, error) {
	spec := &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 4, MaxEntries: 1}
	inner, err := ebpf.NewMap(spec)
	if err != nil {
		return nil, err
	}
	outer, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: 1, InnerMap: spec})
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return &barrier{outer, inner}, nil
}

// wait returns when every program that was running has ended.
func (b *barrier) wait() error { return b.outer.Put(uint32(0), b.inner) }

// Close gives the maps back; b may be nil.
func (b *barrier) Close() error {
	if b == nil {
		return nil
	}
	return errors.Join(b.outer.Close(), b.inner.Close())
}
