package drain

import "slices"

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
		if err := t.maps.Front.Each(words, len(d.possible), func(key []byte, cells []uint64) error {
			return d.takeEntry(t, gen, entry{key: t.whole(key), cells: cells})
		}); err != nil {
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
