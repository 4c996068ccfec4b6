package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// load brings the programs and maps of c into the kernel. If it fails it
// leaves nothing there.
func load(c *Compiled, facts kernel.Facts) (_ *loaded, err error) {
	coll, err := ebpf.NewCollection(c.Object.Spec)
	if err != nil {
		return nil, refused(err, c)
	}
	k := &loaded{coll: coll, obj: c.Object, cpus: facts.Online}
	defer func() {
		if err != nil {
			k.Close()
		}
	}()
	if err := k.setClock(); err != nil {
		return nil, err
	}
	return k, k.fillRings()
}

// setClock tells the programs how far the wall clock is ahead of the monotonic
// one, which is the only one that they can read.
func (k *loaded) setClock() error {
	var mono unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	ahead := time.Now().UnixNano() - mono.Nano()
	return k.control(codegen.ControlWall, binary.LittleEndian.AppendUint64(nil, uint64(ahead)))
}

// refused turns what the kernel said against loading into a complaint with a
// place in the script, where the verifier gave one.
func refused(err error, c *Compiled) error {
	var ve *ebpf.VerifierError
	if errors.As(err, &ve) {
		return blame(ve, c)
	}
	if errors.Is(err, ebpf.ErrNotSupported) {
		return fmt.Errorf("this kernel cannot run the script: %w", err)
	}
	return fmt.Errorf("load the script: %w", err)
}

// fillRings gives every possible CPU a record buffer of its own.
func (k *loaded) fillRings() error {
	outer := k.coll.Maps[k.obj.Maps.Rings]
	if outer == nil {
		return nil
	}
	spec := k.obj.Spec.Maps[k.obj.Maps.Rings].InnerMap
	for cpu := range outer.MaxEntries() {
		ring, err := ebpf.NewMap(spec)
		if err != nil {
			return fmt.Errorf("make the record buffer of CPU %d (%d bytes; see option bufsize): %w", cpu, spec.MaxEntries, err)
		}
		k.rings = append(k.rings, ring)
		if err := outer.Put(cpu, ring); err != nil {
			return fmt.Errorf("set the record buffer of CPU %d: %w", cpu, err)
		}
	}
	return nil
}

// attach enables the sites of one unit. It says how, for -v.
func (k *loaded) attach(i int, u *codegen.Unit) ([]io.Closer, string, error) {
	prog := k.prog(i)
	switch u.Hook.Kind {
	case probes.Test:
		return nil, "", nil
	case probes.Timer:
		c, err := attach.Timer(u.Hook, prog, k.cpus)
		return []io.Closer{c}, attach.Describe(u.Hook) + ": perf software event", err
	case probes.Tracepoint:
		if u.Shared {
			return k.attachShared(prog, u)
		}
		c, err := attach.Tracepoint(u.Hook, prog, 0)
		return []io.Closer{c}, attach.Describe(u.Hook) + ": raw tracepoint with BTF", err
	}
	panic("engine: unknown hook")
}

// attachShared attaches one program to all tracepoints of a unit.
func (k *loaded) attachShared(prog *ebpf.Program, u *codegen.Unit) ([]io.Closer, string, error) {
	var links stack
	for j, h := range u.Hooks {
		c, err := attach.Tracepoint(h, prog, uint64(u.Sites[j].Key))
		if err != nil {
			return nil, "", errors.Join(err, links.Close())
		}
		links = append(links, c)
	}
	return links, fmt.Sprintf("%d tracepoints: one raw tracepoint program", len(links)), nil
}

// flip makes the programs use the other generation of aggregations and waits
// until none is inside the old one, whose number it returns.
func (k *loaded) flip() (old uint32, err error) {
	old = k.gen
	k.gen ^= 1
	if err := k.control(codegen.ControlGen, word(k.gen)); err != nil {
		return 0, err
	}
	return old, k.settle()
}

// settle waits until every program that was running has ended. Changing an
// element of a map of maps promises just that: the kernel waits for a grace
// period before it returns (maybe_wait_bpf_programs in kernel/bpf/syscall.c).
func (k *loaded) settle() error {
	if k.barrier == nil {
		inner := &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 4, MaxEntries: 1}
		m, err := ebpf.NewMap(inner)
		if err != nil {
			return err
		}
		k.extra = append(k.extra, m)
		outer, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: 1, InnerMap: inner})
		if err != nil {
			return err
		}
		k.extra = append(k.extra, outer)
		k.barrier, k.barred = outer, m
	}
	return k.barrier.Put(uint32(0), k.barred)
}

// resume lets probes fire again after exit() has held them back: END must.
func (k *loaded) resume() error { return k.control(codegen.ControlStop, word(0)) }

func word(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// control writes to the memory that programs and engine share.
func (k *loaded) control(off int, value []byte) error {
	m := k.coll.Maps[k.obj.Maps.Control]
	if m == nil {
		return nil
	}
	mem, err := m.Memory()
	if err != nil {
		return fmt.Errorf("share memory with the programs: %w", err)
	}
	_, err = mem.WriteAt(value, int64(off))
	return err
}

// aggMap returns the map of aggregation i in a generation. Aggregations without
// keys have one map whose elements are the generations.
func (k *loaded) aggMap(i, gen int) *ebpf.Map {
	return k.coll.Maps[k.obj.Maps.Aggs[i].Maps[gen]]
}
