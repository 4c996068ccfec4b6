package load

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
)

// shareBusy finds the map by which the programs of all runs on the machine keep out of one
// another's way, or makes it. It lives as long as a run uses it. Of several, which two
// starts at once can make, all take the one with the lowest number. A process that may not
// look for it has one of its own: then two such processes at once are not guarded.
func (k *Loaded) shareBusy(own map[string]*ebpf.Map) (map[string]*ebpf.Map, error) {
	name := k.obj.Maps.Busy
	if name == "" {
		return own, nil
	}
	m, err := ebpf.NewMap(k.obj.Spec.Maps[name])
	if err != nil {
		return own, fmt.Errorf("make the map of what is under way: %w", err)
	}
	if first := firstLike(m); first != nil {
		m.Close()
		m = first
	}
	k.extra = append(k.extra, m)
	if own == nil {
		own = map[string]*ebpf.Map{}
	}
	own[name] = m
	return own, nil
}

// firstLike returns the map of that name and shape with the lowest number, nil if the
// process may not look or there is none.
func firstLike(m *ebpf.Map) *ebpf.Map {
	want, err := m.Info()
	if err != nil {
		return nil
	}
	for id := ebpf.MapID(0); ; {
		if id, err = ebpf.MapGetNextID(id); err != nil {
			return nil
		}
		other, err := ebpf.NewMapFromID(id)
		if errors.Is(err, os.ErrNotExist) {
			continue // it has gone meanwhile
		}
		if err != nil {
			return nil
		}
		got, err := other.Info()
		if err == nil && got.Name == want.Name && got.Type == want.Type && got.KeySize == want.KeySize &&
			got.ValueSize == want.ValueSize && got.MaxEntries == want.MaxEntries && got.Flags == want.Flags {
			return other
		}
		other.Close()
	}
}
