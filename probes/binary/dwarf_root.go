package binary

import "encoding/binary"

// head returns what the first entry of u says of u. It reads no more than that
// entry unless u is held already.
func (u *unit) head() (*root, error) {
	if u.root != nil {
		return u.root, nil
	}
	t, err := u.readShapes(true)
	if err != nil {
		return nil, err
	}
	const most = 512 // of a first entry: attributes are numbers and references to strings
	d := u.d
	var b []byte
	switch {
	case d.info != nil:
		b = d.info[u.body:u.end]
	case u.bytes != nil:
		b = u.bytes[u.body-u.off:]
	default:
		b = make([]byte, min(most, u.end-u.body))
		if _, err := d.f.r.ReadAt(b, d.infoAt+int64(u.body)); err != nil {
			return nil, err
		}
	}
	r := &reader{u: u, t: t, c: cursor{b: b, order: d.order}}
	e := r.next()
	if e == nil { // a long entry, or a shape that is not the first
		if r, err = u.read(u.body); err != nil {
			return nil, err
		}
		if e = r.next(); e == nil {
			return nil, errShort
		}
	}
	h := &root{tag: e.tag, lang: e.number(attrLanguage), name: "", lines: e.number(attrStmtList)}
	_, h.hasLine = e.get(attrStmtList)
	h.strBase, h.adrBase = e.number(attrStrBase), e.number(attrAddrBase)
	h.rngBase, h.locBase = e.number(attrRngBase), e.number(attrLocBase)
	if h.strBase == 0 && u.version == 5 {
		h.strBase = uint64(2 * u.offSize) // after the only header
	}
	u.root = h
	h.name, h.dir = e.text(attrName), e.text(attrCompDir)
	if v, ok := e.get(attrLowPC); ok {
		h.low, _ = u.address(v)
	}
	h.ranges = u.ranges(e)
	return h, nil
}

// text returns the string that a value stands for, in the file's own memory.
func (u *unit) text(v value) []byte {
	d := u.d
	switch v.form {
	case formString:
		return v.b
	case formStrp:
		return stringAt(d.section(".debug_str"), v.u)
	case formLineStrp:
		return stringAt(d.section(".debug_line_str"), v.u)
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4:
		if off, ok := u.indexed(".debug_str_offsets", u.base().strBase, v.u, u.offSize); ok {
			return stringAt(d.section(".debug_str"), off)
		}
	case formGNUStrpAlt, formStrpSup:
		if d.shared != nil {
			return stringAt(d.shared.section(".debug_str"), v.u)
		}
	}
	return nil
}

// base returns what is known of the unit's tables; nothing while its first entry
// is being read for the first time.
func (u *unit) base() root {
	if u.root == nil {
		return root{}
	}
	return *u.root
}

// indexed returns element i, of size bytes, of a table that begins at base.
func (u *unit) indexed(section string, base, i uint64, size int) (uint64, bool) {
	b := u.d.section(section)
	if base > uint64(len(b)) || i >= (uint64(len(b))-base)/uint64(size) {
		return 0, false
	}
	at := base + i*uint64(size)
	return number(u.d.order, b[at:at+uint64(size)]), true
}

func number(o binary.ByteOrder, b []byte) uint64 {
	if len(b) == 8 {
		return o.Uint64(b)
	}
	return uint64(o.Uint32(b))
}

// address returns the address that a value stands for.
func (u *unit) address(v value) (uint64, bool) {
	switch v.form {
	case formAddr:
		return v.u, true
	case formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4:
		return u.indexed(".debug_addr", u.base().adrBase, v.u, u.addrSize)
	}
	return 0, false
}

// ranges returns the addresses that an entry covers, none if it has no code.
func (u *unit) ranges(e *entry) []Range {
	if v, ok := e.get(attrRanges); ok {
		return u.rangeList(v)
	}
	v, ok := e.get(attrLowPC)
	if !ok {
		return nil
	}
	low, ok := u.address(v)
	if !ok {
		return nil
	}
	h, ok := e.get(attrHighPC)
	if !ok {
		return nil
	}
	high, isAddr := u.address(h)
	if !isAddr {
		high = low + h.u
	}
	if low == 0 && u.d.f.base == nil || high <= low { // 0: the linker threw it away
		return nil
	}
	return []Range{{low, high}}
}

// rangeList reads a list of ranges, and pays for it: entries may share one that is long.
func (u *unit) rangeList(v value) []Range {
	list := u.readRanges(v)
	if u.d.spend(len(list)) != nil {
		return nil
	}
	return list
}

func (u *unit) readRanges(v value) []Range {
	if u.version < 5 {
		return u.oldRanges(v.u)
	}
	b := u.d.section(".debug_rnglists")
	off := v.u
	if v.form == formRnglistx {
		base := u.base().rngBase
		rel, ok := u.indexed(".debug_rnglists", base, v.u, u.offSize)
		if !ok {
			return nil
		}
		off = base + rel
	}
	if off >= uint64(len(b)) {
		return nil
	}
	return u.newRanges(&cursor{b: b, pos: int(off), order: u.d.order})
}

// oldRanges reads a list of DWARF 2 to 4.
func (u *unit) oldRanges(off uint64) []Range {
	b := u.d.section(".debug_ranges")
	if off >= uint64(len(b)) {
		return nil
	}
	c := cursor{b: b, pos: int(off), order: u.d.order}
	base := u.base().low
	var list []Range
	for len(list) < maxRanges {
		low, high := c.uint(u.addrSize), c.uint(u.addrSize)
		switch {
		case c.err != nil || low == 0 && high == 0:
			return list
		case low == 1<<64-1 || u.addrSize == 4 && low == 1<<32-1:
			base = high
		default:
			list = u.addRange(list, base+low, base+high)
		}
	}
	return list
}

// newRanges reads a list of DWARF 5.
func (u *unit) newRanges(c *cursor) []Range {
	base := u.base().low
	addrx := func() uint64 {
		a, _ := u.indexed(".debug_addr", u.base().adrBase, c.uleb(), u.addrSize)
		return a
	}
	var list []Range
	for len(list) < maxRanges && c.err == nil {
		switch c.u8() {
		case 0: // end of list
			return list
		case 1: // base address by number
			base = addrx()
		case 2: // start and end by number
			low, high := addrx(), addrx()
			list = u.addRange(list, low, high)
		case 3: // start by number, length
			low := addrx()
			list = u.addRange(list, low, low+c.uleb())
		case 4: // distances from the base
			low, high := c.uleb(), c.uleb()
			list = u.addRange(list, base+low, base+high)
		case 5: // base address
			base = c.uint(u.addrSize)
		case 6: // start and end
			low, high := c.uint(u.addrSize), c.uint(u.addrSize)
			list = u.addRange(list, low, high)
		case 7: // start, length
			low := c.uint(u.addrSize)
			list = u.addRange(list, low, low+c.uleb())
		default:
			return list
		}
	}
	return list
}

// addRange adds a range unless it is empty or was thrown away by the linker.
func (u *unit) addRange(list []Range, low, high uint64) []Range {
	if high <= low || low == 0 && u.d.f.base == nil {
		return list
	}
	return append(list, Range{low, high})
}
