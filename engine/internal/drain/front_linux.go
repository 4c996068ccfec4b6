package drain

import (
	"encoding/binary"
	"slices"

	"dscope.dev/engine/codegen"
)

// takeFronts empties what lies before the tables in generation gen into the totals.
func (d *Drain) takeFronts(gen uint32) error {
	if d.fronts == nil {
		return nil
	}
	words, err := d.fronts.TakeAt(gen)
	if err != nil {
		return err
	}
	for i := range d.tables {
		t := &d.tables[i]
		f := t.front
		for slot := range f.Slots {
			if err := d.takePlaces(t, gen, words, (f.Off+slot*f.Stride())/8); err != nil {
				return err
			}
		}
	}
	return nil
}

// takePlaces adds to the totals what the CPUs have at one place of the fronts. A key has the
// same on each of them.
func (d *Drain) takePlaces(t *aggTable, gen uint32, words []uint64, at int) error {
	each, keys := len(words)/len(d.possible), t.front.Key/8
	place := func(cpu int) []uint64 { return words[cpu*each+at:][:t.front.Stride()/8] }
	for cpu := range d.possible {
		first := place(cpu)
		if first[0] != codegen.FrontFull {
			continue
		}
		key, cells := first[1:1+keys], make([]uint64, len(d.possible)*t.front.Words)
		for other := cpu; other < len(d.possible); other++ {
			p := place(other)
			if p[0] == codegen.FrontFull && slices.Equal(p[1:1+keys], key) {
				copy(cells[other*t.front.Words:], p[1+keys:])
				p[0] = 0
			}
		}
		t.text = t.text[:0]
		for _, w := range key {
			t.text = binary.NativeEndian.AppendUint64(t.text, w)
		}
		if err := d.takeEntry(t, gen, t.whole(t.text), cells); err != nil {
			return err
		}
	}
	return nil
}

// fronted reports whether anything lies before the tables in generation gen.
func (d *Drain) fronted(gen uint32) (bool, error) {
	if d.fronts == nil {
		return false, nil
	}
	words, err := d.fronts.At(gen)
	return slices.ContainsFunc(words, func(w uint64) bool { return w != 0 }), err
}
