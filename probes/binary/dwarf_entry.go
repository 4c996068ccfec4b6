package binary

import (
	"errors"
	"fmt"
)

// An entry is one thing that a unit describes.
type entry struct {
	u    *unit
	off  uint64 // in .debug_info
	tag  uint16
	kids bool
	ab   *abbrev
	at   []attr
	vals []value
}

// A value is that of an attribute.
type value struct {
	form uint16
	u    uint64
	b    []byte // of a block, an expression or a string that lies in the entry
}

// A reader goes through the entries of a unit.
type reader struct {
	u   *unit
	t   *abbrevs
	c   cursor // at c.pos is the entry after the one that was read last
	ent entry
}

// read begins to read u at an offset of .debug_info.
func (u *unit) read(off uint64) (*reader, error) {
	b, err := u.data()
	if err != nil {
		return nil, err
	}
	t, err := u.shapes()
	if err != nil {
		return nil, err
	}
	if off < u.body || off > u.end {
		return nil, errShort
	}
	return &reader{u: u, t: t, c: cursor{b: b, pos: int(off - u.off), order: u.d.order}}, nil
}

// next reads an entry, which is valid until the next is read. Nil is the end of
// the entries that belong to another, or of the unit, or an error.
func (r *reader) next() *entry {
	if !r.goOn() {
		return nil
	}
	e := &r.ent
	e.u, e.off = r.u, r.u.off+uint64(r.c.pos)
	if r.c.pos >= len(r.c.b) {
		r.c.fail()
		return nil
	}
	code := r.c.uleb()
	if code == 0 || r.c.err != nil {
		return nil
	}
	e.ab = r.t.find(code)
	if e.ab == nil {
		r.c.err = errors.New("an entry of unknown shape")
		return nil
	}
	e.tag, e.kids, e.at = e.ab.tag, e.ab.kids, r.t.of(e.ab)
	e.vals = e.vals[:0]
	for i := range e.at {
		e.vals = append(e.vals, r.value(e.at[i].form, e.at[i].implicit))
	}
	if r.c.err != nil {
		return nil
	}
	return e
}

// goOn counts what is read, so that no file keeps us for ever.
func (r *reader) goOn() bool {
	if err := r.u.d.spend(1); err != nil && r.c.err == nil {
		r.c.err = err
	}
	return r.c.err == nil
}

// skip goes past what belongs to an entry that was just read.
func (r *reader) skip(e *entry) {
	if !e.kids {
		return
	}
	if v, ok := e.get(attrSibling); ok {
		if to, ok := r.u.local(v); ok && to > r.u.off+uint64(r.c.pos) && to <= r.u.end {
			r.c.pos = int(to - r.u.off)
			return
		}
	}
	for depth := 1; depth > 0 && r.c.err == nil; {
		switch k := r.next(); {
		case k == nil:
			depth--
		case k.kids:
			depth++
		}
	}
}

// value reads the value of an attribute.
func (r *reader) value(form uint16, implicit int64) value {
	c, u := &r.c, r.u
	v := value{form: form}
	switch form {
	case formAddr:
		v.u = c.uint(u.addrSize)
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		v.u = uint64(c.u8())
	case formData2, formRef2, formStrx2, formAddrx2:
		v.u = uint64(c.u16())
	case formStrx3, formAddrx3:
		v.u = c.uint(3)
	case formData4, formRef4, formStrx4, formAddrx4, formRefSup4:
		v.u = uint64(c.u32())
	case formData8, formRef8, formRefSig8, formRefSup8:
		v.u = c.u64()
	case formData16:
		v.b = c.take(16)
	case formSdata:
		v.u = uint64(c.sleb())
	case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx:
		v.u = c.uleb()
	case formStrp, formLineStrp, formSecOffset, formStrpSup, formGNURefAlt, formGNUStrpAlt:
		v.u = c.uint(u.offSize)
	case formRefAddr:
		v.u = c.uint(u.offSize)
		if u.version == 2 && u.offSize == 4 && u.addrSize == 8 {
			c.pos -= 4
			v.u = c.u64()
		}
	case formString:
		v.b = c.cstring()
	case formBlock1:
		v.b = c.take(uint64(c.u8()))
	case formBlock2:
		v.b = c.take(uint64(c.u16()))
	case formBlock4:
		v.b = c.take(uint64(c.u32()))
	case formBlock, formExprloc:
		v.b = c.take(c.uleb())
	case formFlagPresent:
		v.u = 1
	case formImplicitConst:
		v.u = uint64(implicit)
	case formIndirect:
		if inner := c.uleb(); inner != formIndirect && inner != formImplicitConst && inner < 0xffff {
			return r.value(uint16(inner), 0)
		}
		c.fail()
	default:
		if c.err == nil {
			c.err = fmt.Errorf("values of form %#x are not known", form)
		}
	}
	return v
}

// get returns the value of an attribute of e.
func (e *entry) get(name uint16) (value, bool) {
	for i := range e.at {
		if e.at[i].name == name {
			return e.vals[i], true
		}
	}
	return value{}, false
}

// number returns an attribute that is a number, or 0.
func (e *entry) number(name uint16) uint64 {
	v, _ := e.get(name)
	return v.u
}

// signed returns an attribute that is a number with a sign.
func (v value) signed() int64 {
	switch v.form {
	case formData1:
		return int64(int8(v.u))
	case formData2:
		return int64(int16(v.u))
	case formData4:
		return int64(int32(v.u))
	}
	return int64(v.u)
}

// isNumber reports whether v is a number and not an expression or a list.
func (v value) isNumber() bool {
	switch v.form {
	case formData1, formData2, formData4, formData8, formSdata, formUdata, formImplicitConst:
		return true
	}
	return false
}

// flag returns an attribute that is a flag.
func (e *entry) flag(name uint16) bool { return e.number(name) != 0 }

// text returns an attribute that is a string, "" if it is not there.
func (e *entry) text(name uint16) string {
	v, ok := e.get(name)
	if !ok {
		return ""
	}
	return string(e.u.text(v))
}

// local returns the offset in .debug_info of an entry of the same file that v
// refers to.
func (u *unit) local(v value) (uint64, bool) {
	switch v.form {
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		return u.off + v.u, v.u < u.end-u.off
	case formRefAddr:
		return v.u, true
	}
	return 0, false
}
