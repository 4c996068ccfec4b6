package binary

import (
	"encoding/binary"
	"errors"

	"dscope.dev/probes/budget"
)

// An abbrevs is a table that says of what entries of a unit consist.
type abbrevs struct {
	list  []abbrev
	seq   int            // how many of them have the codes 1, 2, 3, …
	more  map[uint64]int // where in list the others are, by code
	attrs []attr

	budget *budget.Budget
	paid   int // shapes and attributes
}

// atOnceShapes is for how many shapes or attributes memory is taken at once, and
// shapeBytes what one takes with what finds it.
const (
	atOnceShapes = 64
	shapeBytes   = 48
)

// pay takes memory for one more shape or attribute.
func (t *abbrevs) pay() error {
	if len(t.list)+len(t.attrs) < t.paid {
		return nil
	}
	t.paid += atOnceShapes
	return t.budget.Take("its shapes of entries", atOnceShapes, shapeBytes)
}

// bytes returns what memory was taken for t.
func (t *abbrevs) bytes() uint64 { return uint64(t.paid * shapeBytes) }

// An abbrev is the shape of an entry.
type abbrev struct {
	tag     uint16
	kids    bool
	sibling int8   // which attribute leads to the next entry beside this one, -1 if none does
	first   uint32 // of abbrevs.attrs
	n       uint32
	size    int32 // bytes of the attributes if that is always the same, else -1
}

type attr struct {
	name, form uint16
	implicit   int64
}

// readAbbrevs reads the table at the beginning of b; if one is set only its first
// shape, which is that of the unit's own entry as a rule.
func readAbbrevs(b []byte, order binary.ByteOrder, addrSize, offSize int, one bool, from *budget.Budget) (t *abbrevs, err error) {
	c := cursor{b: b, order: order}
	t = &abbrevs{budget: from}
	defer func() {
		if err != nil {
			from.Give(t.bytes())
		}
	}()
	for {
		code := c.uleb()
		if code == 0 || c.err != nil {
			return t, c.err
		}
		if len(t.list) >= maxAbbrevs {
			return t, errors.New("too many shapes of entries")
		}
		if err := t.pay(); err != nil {
			return t, err
		}
		a := abbrev{tag: uint16(min(c.uleb(), 0xffff)), kids: c.u8() != 0, first: uint32(len(t.attrs)), sibling: -1}
		if err := t.readAttrs(&c, &a, addrSize, offSize); err != nil {
			return t, err
		}
		if code == uint64(len(t.list))+1 && t.more == nil {
			t.seq++
		} else {
			if t.more == nil {
				t.more = make(map[uint64]int)
			}
			t.more[code] = len(t.list)
		}
		t.list = append(t.list, a)
		if one {
			return t, nil
		}
	}
}

func (t *abbrevs) readAttrs(c *cursor, a *abbrev, addrSize, offSize int) error {
	for {
		name, form := c.uleb(), c.uleb()
		at := attr{name: uint16(min(name, 0xffff)), form: uint16(min(form, 0xffff))}
		if at.form == formImplicitConst {
			at.implicit = c.sleb()
		}
		if c.err != nil {
			return c.err
		}
		if name == 0 && form == 0 {
			return nil
		}
		if a.n >= maxAttrs {
			return errors.New("an entry with too many attributes")
		}
		if at.name == attrSibling && a.n < 100 {
			a.sibling = int8(a.n)
		}
		if n := fixedSize(at.form, addrSize, offSize); n < 0 || a.size < 0 {
			a.size = -1
		} else {
			a.size += int32(n)
		}
		if err := t.pay(); err != nil {
			return err
		}
		t.attrs = append(t.attrs, at)
		a.n++
	}
}

// find returns the shape that has a code.
func (t *abbrevs) find(code uint64) *abbrev {
	if code-1 < uint64(t.seq) {
		return &t.list[code-1]
	}
	if i, ok := t.more[code]; ok {
		return &t.list[i]
	}
	return nil
}

// of returns the attributes of a shape.
func (t *abbrevs) of(a *abbrev) []attr { return t.attrs[a.first : a.first+a.n] }

// fixedSize returns how many bytes a form takes, -1 if that differs.
func fixedSize(form uint16, addrSize, offSize int) int {
	switch form {
	case formFlagPresent, formImplicitConst:
		return 0
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1
	case formData2, formRef2, formStrx2, formAddrx2:
		return 2
	case formStrx3, formAddrx3:
		return 3
	case formData4, formRef4, formStrx4, formAddrx4, formRefSup4:
		return 4
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8
	case formData16:
		return 16
	case formAddr:
		return addrSize
	case formStrp, formLineStrp, formSecOffset, formStrpSup, formGNURefAlt, formGNUStrpAlt, formRefAddr:
		return offSize
	}
	return -1
}
