package python

// A table of lines (co_linetable; Objects/locations.md of CPython) is a run of entries for so many code
// units each. The first byte of an entry, alone in having its highest bit set, says its kind and for how many:
//
//	| 1 | kind: 4 | units - 1: 3 |
//
// What follows depends on the kind:
//
//	0-9    the same line: a byte of columns
//	10-12  the line after by kind - 10: two bytes of columns
//	13     a number with sign: lines after
//	14     a number with sign: lines after; three numbers without
//	15     no line
//
// Numbers have six bits in each byte, the lowest first, and the seventh set where one more follows;
// the sign is the lowest bit.
const (
	kindColumns  = 10
	kindNoColumn = 13
	kindLong     = 14
	kindNone     = 15
)

// readLines reads a table of a function that begins at a line. It ends where the table makes no sense.
func readLines(table []byte, first int) (list []line) {
	unit, at := uint32(0), int32(first)
	for i := 0; i < len(table); {
		b := table[i]
		if b&0x80 == 0 {
			return list
		}
		i++
		kind, here := b>>3&15, int32(0)
		if kind >= kindColumns && kind < kindNoColumn {
			at += int32(kind - kindColumns)
		} else if kind == kindNoColumn || kind == kindLong {
			at += signed(table[i:])
		}
		if kind != kindNone {
			here = at
		}
		if n := len(list); n == 0 || list[n-1].line != here {
			list = append(list, line{unit, here})
		}
		unit += uint32(b&7) + 1
		for i < len(table) && table[i]&0x80 == 0 { // what is left of this one
			i++
		}
	}
	return list
}

// signed reads a number with a sign.
func signed(b []byte) int32 {
	var v uint32
	for i, shift := 0, 0; i < len(b) && shift < 32; i, shift = i+1, shift+6 {
		v |= uint32(b[i]&0x3f) << shift
		if b[i]&0x40 == 0 {
			break
		}
	}
	if v&1 != 0 {
		return -int32(v >> 1)
	}
	return int32(v >> 1)
}
