package codegen_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/kmap"
)

// A reading spells what a loaded object leaves behind.
type reading struct {
	m     *machine
	o     *codegen.Object
	res   *lower.Result
	c     *ebpf.Collection
	units []lower.Unit
	prog  *check.Program
	out   []string
}

// fire runs the program of a firing's hook and reads what it recorded.
func (r *reading) fire(s *gen.Shot) error {
	r.out = append(r.out, gen.Mark)
	site := gen.Sites(s.Hook)[s.Site]
	var words [12]uint64
	for i, a := range s.Args {
		words[i] = uint64(a)
	}
	words[keyWord] = uint64(site.Key)
	for i, u := range r.units {
		if u.Name != s.Hook {
			continue
		}
		var err error
		r.m.of(s).call(func() { _, err = r.c.Programs[r.o.Progs[i]].Run(&ebpf.RunOptions{Context: words}) })
		if err != nil {
			return fmt.Errorf("run %s: %w", u.Name, err)
		}
	}
	for cpu, ring := range r.m.rings {
		for ring.AvailableBytes() > 0 {
			rec, err := ring.Read()
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break // all that is available has been discarded
			}
			if err != nil {
				return fmt.Errorf("read the records: %w", err)
			}
			if int64(cpu) != s.CPU {
				return fmt.Errorf("a record of CPU %d, want %d", cpu, s.CPU)
			}
			if err := r.record(rec.RawSample, site); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reading) record(b []byte, site lower.Site) error {
	index, key := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if int(index) < len(r.res.Layouts) && r.units[r.o.IR.Records[index].Unit].Special == "ERROR" {
		site = gen.Sites("ERROR")[0]
	}
	if int(index) >= len(r.res.Layouts) || key != site.Key {
		return fmt.Errorf("a record of layout %d, site %d; want site %d", index, key, site.Key)
	}
	l := r.res.Layouts[index]
	if l.Clause != nil {
		r.out = append(r.out, gen.SpellRecord(l, b, site))
		return nil
	}
	var n [4]int64
	for i, f := range r.o.IR.Records[index].Fields {
		var word [8]byte
		copy(word[:], b[f.Off:f.Off+f.Size])
		n[i] = int64(binary.LittleEndian.Uint64(word[:]))
	}
	r.out = append(r.out, gen.SpellFault(n[0]&0xffff, n[1], n[2], n[3]))
	return nil
}

func (r *reading) aggregations() error {
	sums := map[string][]uint64{}
	for i, l := range r.res.Keys {
		maps, table := r.o.Maps.Aggs[i], r.o.IR.Table(i)
		words := r.o.IR.Aggs[table].Words
		joined := r.o.IR.Within(table) != nil
		add := func(key []byte, cells []uint64) {
			name := gen.SpellKey(l, key, r.units)
			used := words
			if r.o.IR.Aggs[i].Touch {
				used-- // the judge does not tell zeros from nothing
			}
			for ; len(cells) > 0; cells = cells[words:] {
				if joined {
					at := r.o.IR.Aggs[i].At
					own := slices.Clone(cells[at : at+max(l.Agg.Fn().CellWords(l.Agg.Params), 1)])
					if slices.ContainsFunc(own, func(w uint64) bool { return w != 0 }) {
						sums[name] = gen.AddCells(l.Agg.Func, sums[name], own)
					}
					continue
				}
				sums[name] = gen.AddCells(l.Agg.Func, sums[name], slices.Clone(cells[:used]))
			}
		}
		if maps.Tables != nil {
			whole := func(key []byte, cells []uint64) error {
				add(append(slices.Clone(key), make([]byte, r.o.IR.Aggs[table].Key-len(key))...), cells)
				return nil
			}
			if err := errors.Join(r.front(maps.Front, whole), r.tables(maps.Tables, whole)); err != nil {
				return err
			}
			continue
		}
		cells, err := kmap.New(r.c.Maps[maps.Array], words, r.m.features.CPUs).TakeAt(0)
		if err != nil {
			return err
		}
		add(nil, cells)
	}
	var lines []string
	for name, cell := range sums {
		if l := fmt.Sprintf("%s %v", name, cell); !empty(l) {
			lines = append(lines, l)
		}
	}
	slices.Sort(lines)
	r.out = append(r.out, lines...)
	return nil
}

// tables hands on what lies in tables in the first generation, and leaves them as they are, for
// several aggregations may share them.
func (r *reading) tables(list []codegen.Table, add func(key []byte, cells []uint64) error) error {
	keys := make([]uint64, r.c.Maps[r.o.Maps.Keys].ValueSize()/8)
	if err := r.c.Maps[r.o.Maps.Keys].Lookup(uint32(0), keys); err != nil {
		return err
	}
	cells := make([][]uint64, r.m.features.CPUs)
	for cpu := range cells {
		cells[cpu] = make([]uint64, r.c.Maps[r.o.Maps.Cells].ValueSize()/8)
		if err := r.c.Maps[r.o.Maps.Cells].Lookup(uint32(cpu), cells[cpu]); err != nil {
			return err
		}
	}
	for i := range list {
		t := codegen.TableReader{Table: &list[i]}
		if _, err := t.Take(0, keys, cells, func(_ int, key []byte, cells []uint64) error { return add(key, cells) }); err != nil {
			return err
		}
	}
	return nil
}

// front hands on what lies before a table of an aggregation in the first generation.
func (r *reading) front(f codegen.Front, add func(key []byte, cells []uint64) error) error {
	m := r.c.Maps[r.o.Maps.Fronts]
	if m == nil {
		return nil
	}
	words, err := kmap.New(m, int(m.ValueSize()/8), r.m.features.CPUs).At(0)
	if err != nil {
		return err
	}
	return f.Each(words, r.m.features.CPUs, add)
}

// arrays spells what the associative arrays hold.
func (r *reading) arrays() error {
	for _, name := range arrays {
		var list []string
		for i, v := range r.o.IR.Vars {
			if v.Kind == ir.SelfVar && v.Name == name+"[tid]" {
				kept, err := r.ofThreads(v, r.typeOf(name))
				if err != nil {
					return err
				}
				list = append(list, kept...)
			}
			if v.Kind != ir.AssocVar || strings.TrimPrefix(v.Name, "self->") != name {
				continue
			}
			t := r.typeOf(name)
			var key, value []byte
			for it := r.c.Maps[r.o.Maps.Assocs[i]].Iterate(); it.Next(&key, &value); {
				if s := spell(value, t); s != "0" && s != `""` {
					list = append(list, s)
				}
			}
		}
		slices.Sort(list)
		r.out = append(r.out, fmt.Sprintf("%s holds %s", name, strings.Join(list, " ")))
	}
	return nil
}

// untold stands for what the cells of threads hold where the kernel shows nobody those of
// threads that are not the first of their process: before 6.9.
const untold = "what cannot be read"

// ofThreads spells what the cells of the threads hold of an array by tid.
func (r *reading) ofThreads(v ir.Var, t types.Type) (list []string, err error) {
	for _, p := range r.m.people {
		fd, err := unix.PidfdOpen(int(p.TID), unix.O_EXCL) // PIDFD_THREAD
		if errors.Is(err, unix.EINVAL) {
			return []string{untold}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("open thread %d: %w", p.TID, err)
		}
		cell, err := r.c.Maps[r.o.Maps.Self].LookupBytes(int32(fd))
		unix.Close(fd)
		if err != nil {
			return nil, fmt.Errorf("read the cell of thread %d: %w", p.TID, err)
		}
		if cell == nil {
			continue
		}
		if s := spell(cell[v.Offset:], t); s != "0" {
			list = append(list, s)
		}
	}
	return list, nil
}

func (r *reading) typeOf(name string) types.Type {
	for _, v := range r.prog.Vars {
		if v.Name == name && v.Wide {
			return types.Int64
		}
		if v.Name == name {
			return v.Type
		}
	}
	return types.Bad
}

func spell(b []byte, t types.Type) string {
	if types.IsString(t) {
		text, _, _ := bytes.Cut(b, []byte{0})
		return fmt.Sprintf("%q", text)
	}
	return gen.SpellWord(b[:min(len(b), 8)], t)
}

// drops complains about whatever was lost: there was room for everything.
func (r *reading) drops() error {
	if r.o.Maps.Drops == "" {
		return nil
	}
	lost := r.c.Maps[r.o.Maps.Drops]
	for kind := range lost.MaxEntries() {
		var cpus []uint64
		if err := lost.Lookup(kind, &cpus); err != nil {
			return err
		}
		var n uint64
		for _, c := range cpus {
			n += c
		}
		if n > 0 {
			r.out = append(r.out, dropped(int(kind), n))
		}
	}
	return nil
}
