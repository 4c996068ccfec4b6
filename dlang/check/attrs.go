package check

import (
	"math"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// aligned returns the alignment that a asks for, 0 if it asks for none.
func (c *checker) aligned(a ast.Attrs) int {
	if a.Align == nil {
		return 0
	}
	n, ok := c.constant(a.Align)
	switch {
	case types.IsInvalid(c.prog.Types[a.Align]):
		return 0
	case !ok || n < 0 || n&(n-1) != 0 || n > 1<<28:
		c.errorf(a.Align, diag.DeclArray, "an alignment must be a constant power of two")
		return 0
	}
	return int(n)
}

// packOf returns the alignment that no member of t exceeds, 0 if any may.
func packOf(t *ast.Struct) int {
	if t.Packed {
		return 1
	}
	return t.Pack
}

// memberAlign returns how a member of type t is aligned. What is asked of a member by
// name goes before what is said of the struct.
func (c *checker) memberAlign(l *layouter, a ast.Attrs, t types.Type) int {
	align := t.Align()
	if a.Packed {
		align = 1
	}
	if l.pack > 0 {
		align = min(align, l.pack)
	}
	return max(align, c.aligned(a))
}

// foreignEnum gives the enumeration of a header the size that C's compilers give it:
// an int's unless a value does not fit, or the least if it is packed.
func foreignEnum(e *types.Enum, packed bool) {
	low, high := int64(0), int64(0)
	for _, v := range e.Values {
		low, high = min(low, v.Value), max(high, v.Value)
	}
	fits := func(bytes int) bool {
		switch {
		case bytes == 8:
			return true
		case low < 0:
			return low >= -1<<(8*bytes-1) && high < 1<<(8*bytes-1)
		}
		return high < 1<<(8*bytes)
	}
	e.Bytes = 4
	if packed {
		e.Bytes = 1
	}
	for !fits(e.Bytes) {
		e.Bytes *= 2
	}
	e.Signed = low < 0 || e.Bytes == 4 && high <= math.MaxInt32
}
