package engine

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen"
)

// shareBusy finds the map by which the programs of all runs on the machine keep out of one
// another's way, or makes it. It lives as long as a run uses it. Of several, which two
// starts at once can make, all take the one with the lowest number. A process that may not
// look for it has one of its own: then two such processes at once are not guarded.
func (k *loaded) shareBusy(own map[string]*ebpf.Map) (map[string]*ebpf.Map, error) {
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

// SharesBusy returns nil, or what the kernel says against looking for that map.
func (*Engine) SharesBusy() error {
	_, err := ebpf.MapGetNextID(0)
	if errors.Is(err, os.ErrNotExist) { // there is no map at all
		return nil
	}
	return err
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

// activeVar finds the kernel's mark of programs that are under way, if programs can read it.
func (e *Engine) activeVar() uint32 {
	id := e.kernel.ProgramsActive()
	if id == 0 || !readable(id) {
		return 0
	}
	return id
}

// readable reports whether programs can read a variable of the CPU.
func readable(id uint32) bool {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:    ebpf.RawTracepoint,
		License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			codegen.LoadVar(asm.R1, id),
			asm.FnThisCpuPtr.Call(),
			asm.Mov.Imm(asm.R0, 0),
			asm.Return(),
		},
	})
	if err != nil {
		return false
	}
	return p.Close() == nil
}
