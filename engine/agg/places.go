package agg

// Places remembers the rows of keys that come again and again under the same numbers, as those
// of a table of the kernel do until it takes the numbers back. Looking for a row by its key
// costs more than all else that is done for it: most of what is looked at on the way lies in
// no cache.
type Places struct {
	rows []*row // by number; nil of those that are not known
	cuts int    // Totals.cuts of that time: rows may have been forgotten since
}

// Forget forgets all: the numbers will be those of other keys.
func (p *Places) Forget() {
	clear(p.rows)
	p.rows = p.rows[:0]
}

// at returns the row of a number, nil if it is not known.
func (p *Places) at(number, cuts int) *row {
	if p == nil {
		return nil
	}
	if p.cuts != cuts {
		p.Forget()
		p.cuts = cuts
	}
	if number < len(p.rows) {
		return p.rows[number]
	}
	return nil
}

// set notes the row of a number.
func (p *Places) set(number int, r *row) {
	if p == nil {
		return
	}
	if n := number + 1 - len(p.rows); n > 0 {
		p.rows = append(p.rows, make([]*row, n)...)
	}
	p.rows[number] = r
}
