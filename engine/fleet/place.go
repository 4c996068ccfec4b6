package fleet

import (
	"unsafe"

	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

// A place is where a row of a host is added in the merged table. To find it by the keys of the
// row takes several times as long as all else, so that it is kept from one picture to the next.
type place struct {
	id string // of the row
	at *agg.Place
}

// An identity is that of a string in memory, which is looked at without reading what it says:
// with a million rows that comes from far away. The rows that a snapshot has from the one before
// have their ids from there too; those that have not are found by their keys.
type identity struct {
	at *byte
	n  int
}

func identityOf(s string) identity { return identity{unsafe.StringData(s), len(s)} }

// keep returns the places of rows, as far as they are among those of the rows before.
func (m *Merge) keep(before []place, rows []trace.Row) []place {
	now := before
	if more := len(rows) - len(before); more > 0 {
		now = append(now, make([]place, more)...)
	}
	first := true
	for i := range rows {
		id := identityOf(rows[i].ID)
		if identityOf(now[i].id) == id {
			continue
		}
		if first { // those in front are where they were
			first = false
			clear(m.moved)
			for _, p := range now[i:] {
				if p.at != nil {
					m.moved[identityOf(p.id)] = p.at
				}
			}
		}
		now[i] = place{rows[i].ID, m.moved[id]}
	}
	clear(now[len(rows):])
	return now[:len(rows)]
}
