package binary

import (
	"debug/elf"
	"fmt"
	"slices"

	"dscope.dev/dlang/types"
)

// An abi hands out the places in which a calling convention passes parameters: that
// of System V for x86-64, that of Arm for arm64, and Go's own. It says Nowhere for
// what is passed in floating-point registers, and for what is spread over several
// registers in another way than it would lie in memory.
type abi struct {
	regs   []int // of integers, as DWARF numbers them
	used   int
	floats int   // floating-point registers that are taken
	stack  int64 // bytes of parameters on the stack
	sp     int
	base   int64 // of the first parameter on the stack
	why    string
	arm    bool
	golang bool
	byRef  func(types.Type) bool
}

// mostFloats is how many floating-point registers carry parameters.
func (a *abi) mostFloats() int {
	switch {
	case !a.golang:
		return 8
	case a.arm:
		return 16
	}
	return 15
}

func newABI(f *File, lang uint64, byRef func(types.Type) bool) *abi {
	a := &abi{byRef: byRef, golang: lang == langGo}
	switch m := f.elf.Machine; m {
	case elf.EM_X86_64:
		a.regs, a.sp, a.base = []int{5, 4, 1, 2, 8, 9}, 7, 8 // rdi rsi rdx rcx r8 r9; the stack begins with the return address
		if a.golang {
			a.regs = []int{0, 3, 2, 5, 4, 8, 9, 10, 11} // rax rbx rcx rdi rsi r8 r9 r10 r11
		}
	case elf.EM_AARCH64:
		a.regs, a.sp, a.arm = []int{0, 1, 2, 3, 4, 5, 6, 7}, 31, true
		if a.golang {
			a.regs, a.base = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 8
		}
	default:
		a.why = fmt.Sprintf("how %s passes parameters is not known", m)
	}
	if a.golang && a.why == "" {
		a.ofGo(f)
	}
	return a
}

// ofGo heeds that old versions of Go pass everything on the stack.
func (a *abi) ofGo(f *File) {
	switch registers, err := f.GoRegisters(); {
	case err != nil:
		a.why = err.Error()
	case !registers:
		a.regs, a.floats = nil, a.mostFloats()
	}
}

// result takes the register that points to where a large result goes.
func (a *abi) result(t types.Type) {
	if isAggregate(t) && !a.arm && !a.golang && (t.Size() > 16 || a.byRef(t)) {
		a.used++
	}
}

// next returns where the next parameter is.
func (a *abi) next(t types.Type) Location {
	if a.why != "" {
		return Location{Why: a.why}
	}
	switch t := types.Resolve(t).(type) {
	case *types.Int, *types.Pointer, *types.Enum:
		return a.word(t)
	case *types.Float:
		return a.float(t)
	case *types.Struct, *types.Array:
		switch {
		case a.byRef(t):
			return a.pointed()
		case a.golang:
			return a.spread(t)
		}
		return a.aggregate(t)
	}
	a.why = "the type of a parameter before it is not known"
	return Location{Why: "its type is not known"}
}

// word returns where the next integer is.
func (a *abi) word(t types.Type) Location {
	if a.used < len(a.regs) {
		a.used++
		return Location{Kind: InRegister, Reg: a.regs[a.used-1]}
	}
	return a.memory(t)
}

// memory takes room for a parameter from the stack, where Go alone packs them.
func (a *abi) memory(t types.Type) Location {
	size, align := t.Size(), max(1, t.Align())
	if !a.golang {
		size, align = (size+7)&^7, max(8, align)
	}
	a.stack = (a.stack + int64(align) - 1) / int64(align) * int64(align)
	l := Location{Kind: AtRegister, Reg: a.sp, Off: a.base + a.stack}
	a.stack += int64(size)
	return l
}

// pointed returns where a value is whose address is passed.
func (a *abi) pointed() Location {
	l := a.word(&types.Pointer{Elem: types.VoidType})
	if l.Kind == InRegister {
		return Location{Kind: AtRegister, Reg: l.Reg}
	}
	return Location{Why: "its address is on the stack"}
}

func (a *abi) float(t types.Type) Location {
	if a.floats >= a.mostFloats() || t.Size() > 8 && !a.arm {
		return a.memory(t)
	}
	a.floats++
	return Location{Why: "it is passed in a floating-point register"}
}

// aggregate returns where the next struct by value is: on the stack if it is large,
// else in one or two registers, each of which is a floating-point one if there
// are only such numbers in its eight bytes.
func (a *abi) aggregate(t types.Type) Location {
	size := t.Size()
	switch {
	case size <= 0 && !isComplete(t):
		a.why = "the size of a parameter before it is not known"
		return Location{Why: "its size is not known"}
	case size == 0:
		return Location{Why: "it is empty"}
	case size > 16 && a.arm:
		return a.pointed()
	case size > 16:
		return a.memory(t)
	}
	halves := (size + 7) / 8
	var ints [2]bool
	mark(t, 0, &ints, 0)
	needInts, needFloats := 0, 0
	for _, is := range ints[:halves] {
		if is || a.arm {
			needInts++
		} else {
			needFloats++
		}
	}
	if a.used+needInts > len(a.regs) || a.floats+needFloats > a.mostFloats() {
		return a.memory(t)
	}
	first := a.used
	a.used, a.floats = a.used+needInts, a.floats+needFloats
	switch {
	case halves == 1 && needInts == 1:
		return Location{Kind: InRegister, Reg: a.regs[first]}
	case needInts == 2:
		return a.several(first, 2)
	}
	return Location{Why: "it is passed in floating-point registers, or a part of it"}
}

// several returns where a value is that takes n registers from the first on.
func (a *abi) several(first, n int) Location {
	l := Location{Kind: InRegisters, Words: n}
	copy(l.Regs[:], a.regs[first:first+n])
	return l
}

// spread takes a register for each number in a struct, as Go does.
func (a *abi) spread(t types.Type) Location {
	n, floats := numbers(t, 0)
	if n > len(a.regs)-a.used || floats > a.mostFloats()-a.floats {
		return a.memory(t)
	}
	first := a.used
	a.used, a.floats = a.used+n, a.floats+floats
	switch {
	case n+floats == 0:
		return Location{Why: "it is empty"}
	case floats > 0:
		return Location{Why: "it is passed in floating-point registers, or a part of it"}
	case n == 1:
		return Location{Kind: InRegister, Reg: a.regs[first]}
	case t.Size() == 8*n && n <= mostRegs:
		return a.several(first, n)
	}
	return Location{Why: fmt.Sprintf("its members are spread over %d registers", n)}
}

// passedByReference reports whether parameters of a type are addresses of copies,
// as those of C++ classes are that are not simply bytes: they have a destructor, or
// a part of them has.
func (d *Debug) passedByReference(t types.Type) bool {
	return d.owns(t, 0)
}

func (d *Debug) owns(t types.Type, depth int) bool {
	switch t := types.Resolve(t).(type) {
	case *types.Array:
		return d.owns(t.Elem, depth)
	case *types.Struct:
		if depth > maxNested {
			return false
		}
		fields := t.Fields() // before the lock: it takes the lock itself
		d.mu.Lock()
		own := d.byRef[t]
		d.mu.Unlock()
		return own || slices.ContainsFunc(fields, func(f types.Field) bool { return d.owns(f.Type, depth+1) })
	}
	return false
}

func isAggregate(t types.Type) bool {
	switch types.Resolve(t).(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func isComplete(t types.Type) bool {
	s, ok := types.Resolve(t).(*types.Struct)
	return !ok || s.Complete()
}

// mark notes which eight bytes of a small type hold something other than
// floating-point numbers.
func mark(t types.Type, off int, ints *[2]bool, depth int) {
	switch t := types.Resolve(t).(type) {
	case *types.Struct:
		if depth < maxNested {
			for _, f := range t.Fields() {
				mark(f.Type, off+f.Off/8, ints, depth+1)
			}
		}
	case *types.Array:
		for i := range min(t.Len, 16) {
			mark(t.Elem, off+i*t.Elem.Size(), ints, depth+1)
		}
	case *types.Float:
	default:
		for at := off; at < off+max(t.Size(), 1) && at < 16; at++ {
			ints[max(at, 0)/8] = true
		}
	}
}

// maxNested bounds how deep structs by value are looked into.
const maxNested = 16

// mostNumbers is more than any convention passes in registers.
const mostNumbers = 32

// numbers counts the numbers that a type is made of, floating-point ones apart. Of what
// is never passed in registers they are more than there are.
func numbers(t types.Type, depth int) (ints, floats int) {
	switch t := types.Resolve(t).(type) {
	case *types.Struct:
		for _, f := range t.Fields() {
			if depth < maxNested && ints+floats < mostNumbers {
				n, m := numbers(f.Type, depth+1)
				ints, floats = ints+n, floats+m
			}
		}
		return ints, floats
	case *types.Array:
		if t.Len > 1 {
			return mostNumbers, 0
		}
		ints, floats = numbers(t.Elem, depth+1)
		return t.Len * ints, t.Len * floats
	case *types.Float:
		return 0, 1
	}
	return 1, 0
}
