package lower

import (
	"slices"

	"dscope.dev/dlang/ir"
)

// temporaries are the memory that statements compute in: keys, strings, what is read
// from an address. A statement leaves nothing in it that a later one needs, so
// they take turns; what a program needs is what its largest statement does.
type temporaries struct{ free, taken []*ir.Value }

// Alloca gives size bytes until the statement ends, with anything in them.
func (f *fn) Alloca(size int) *ir.Value {
	t := &f.temps
	i := slices.IndexFunc(t.free, func(v *ir.Value) bool { return v.Size == round8(size) })
	if i < 0 {
		v := f.Builder.Alloca(size)
		t.taken = append(t.taken, v)
		return v
	}
	v := t.free[i]
	t.free = slices.Delete(t.free, i, i+1)
	t.taken = append(t.taken, v)
	return v
}

// endStatement takes back what the statement has computed in.
func (t *temporaries) endStatement() {
	t.free = append(t.free, t.taken...)
	t.taken = nil
}
