package interp

import (
	"fmt"
	"math/bits"
	"slices"

	"dscope.dev/dlang/ir"
)

// compute does arithmetic.
func (fr *frame) compute(v *ir.Value) error {
	switch v.Op {
	case ir.OpConst:
		fr.set(v, v.Imm)
	case ir.OpParam:
		if int(v.Imm) >= len(fr.args) {
			return fmt.Errorf("no such parameter")
		}
		a := fr.args[v.Imm]
		if v.Size > 0 && (a.mem == nil || a.off+int64(v.Size) > int64(len(a.mem))) {
			return fmt.Errorf("given %d bytes", int64(len(a.mem))-a.off)
		}
		fr.vals[v] = a
	case ir.OpNeg:
		fr.set(v, -fr.word(v, 0))
	case ir.OpNot:
		fr.set(v, ^fr.word(v, 0))
	case ir.OpSExt, ir.OpZExt:
		shift := 64 - 8*v.Size
		w := fr.word(v, 0) << shift
		if v.Op == ir.OpSExt {
			fr.set(v, w>>shift)
		} else {
			fr.set(v, int64(uint64(w)>>shift))
		}
	case ir.OpLog2:
		if fr.word(v, 0) == 0 {
			return fmt.Errorf("logarithm of 0")
		}
		fr.set(v, int64(bits.Len64(uint64(fr.word(v, 0)))-1))
	case ir.OpBound:
		fr.set(v, int64(min(uint64(fr.word(v, 0)), uint64(v.Imm-1))))
	}
	return nil
}

// binary computes from two words, or moves a pointer by one.
func (fr *frame) binary(v *ir.Value) error {
	x, b := fr.vals[v.Args[0]], fr.word(v, 1)
	if v.Op == ir.OpAdd && x.mem != nil {
		fr.vals[v] = value{mem: x.mem, off: x.off + b}
		return nil
	}
	a := x.w
	ua, ub, n := uint64(a), uint64(b), uint(b)&63
	var w int64
	switch v.Op {
	case ir.OpAdd:
		w = a + b
	case ir.OpSub:
		w = a - b
	case ir.OpMul:
		w = a * b
	case ir.OpDivS, ir.OpDivU, ir.OpModS, ir.OpModU:
		if b == 0 {
			return fmt.Errorf("division by zero")
		}
		w = divide(v.Op, a, b)
	case ir.OpAnd:
		w = a & b
	case ir.OpOr:
		w = a | b
	case ir.OpXor:
		w = a ^ b
	case ir.OpShl:
		w = a << n
	case ir.OpShrL:
		w = int64(ua >> n)
	case ir.OpShrA:
		w = a >> n
	case ir.OpEq:
		w = truth(a == b)
	case ir.OpNe:
		w = truth(a != b)
	case ir.OpLtS:
		w = truth(a < b)
	case ir.OpLeS:
		w = truth(a <= b)
	case ir.OpLtU:
		w = truth(ua < ub)
	case ir.OpLeU:
		w = truth(ua <= ub)
	}
	fr.set(v, w)
	return nil
}

// divide does a division or its remainder.
func divide(op ir.Op, a, b int64) int64 {
	switch op {
	case ir.OpDivS:
		return a / b
	case ir.OpModS:
		return a % b
	case ir.OpDivU:
		return int64(uint64(a) / uint64(b))
	}
	return int64(uint64(a) % uint64(b))
}

// memory does what is done with memory of the program. Scratch memory begins
// with bytes that are not zero, so that reading what was never written shows.
func (fr *frame) memory(v *ir.Value) error {
	switch v.Op {
	case ir.OpAlloca:
		fr.setPtr(v, slices.Repeat([]byte{0xa5}, v.Size))
		return nil
	case ir.OpString:
		fr.setPtr(v, append([]byte(fr.m.Prog.Strings[v.Imm]), 0))
		return nil
	case ir.OpGlobal:
		fr.setPtr(v, fr.m.Globals[int(v.Imm)])
		return nil
	case ir.OpPtrEq0:
		fr.set(v, truth(fr.vals[v.Args[0]].mem == nil))
		return nil
	}
	b, err := fr.bytes(v, 0, v.Imm, v.Size)
	if err != nil {
		return err
	}
	switch v.Op {
	case ir.OpLoad:
		fr.set(v, getInt(b))
	case ir.OpStore:
		putInt(b, fr.word(v, 1))
	case ir.OpAtomicAdd:
		putInt(b, getInt(b)+fr.word(v, 1))
	case ir.OpFetchAdd:
		was := getInt(b)
		putInt(b, was+fr.word(v, 1))
		fr.set(v, was)
	case ir.OpCmpXchg:
		old := getInt(b)
		if old == fr.word(v, 1) {
			putInt(b, fr.word(v, 2))
		}
		fr.set(v, old)
	case ir.OpZero:
		clear(b)
	case ir.OpCopy:
		src, err := fr.bytes(v, 1, 0, v.Size)
		if err != nil {
			return err
		}
		copy(b, src)
	}
	return nil
}

// reading does what can fail.
func (fr *frame) reading(v *ir.Value) error {
	switch v.Op {
	case ir.OpReadStrK, ir.OpReadStrU:
		return fr.readStr(v)
	case ir.OpWriteU, ir.OpWriteUN:
		return fr.write(v)
	}
	n := int64(v.Size)
	if v.Op == ir.OpReadKN || v.Op == ir.OpReadUN {
		if n = fr.word(v, 2); n < 0 || n > int64(v.Size) {
			return fmt.Errorf("a size of %d", n)
		}
	}
	dst, err := fr.bytes(v, 0, v.Imm, int(n))
	if err != nil {
		return err
	}
	clear(dst)
	got := make([]byte, n)
	for i := range got {
		b, ok, err := fr.peek(v, int64(i))
		if err != nil {
			return err
		}
		if !ok {
			fr.set(v, -14)
			return nil
		}
		got[i] = b
	}
	copy(dst, got)
	fr.set(v, 0)
	return nil
}

// write changes memory of the process, all of it or nothing.
func (fr *frame) write(v *ir.Value) error {
	n := int64(v.Size)
	if v.Op == ir.OpWriteUN {
		if n = fr.word(v, 2); n < 1 || n > int64(v.Size) {
			return fmt.Errorf("a size of %d", n)
		}
	}
	src, err := fr.bytes(v, 0, 0, int(n))
	if err != nil {
		return err
	}
	to := fr.word(v, 1)
	for i := range n {
		if _, ok := fr.f.User[to+i]; !ok {
			fr.set(v, -14)
			return nil
		}
	}
	for i, b := range src {
		fr.f.User[to+int64(i)] = b
	}
	fr.set(v, 0)
	return nil
}

// peek reads one byte of the memory that argument 1 says.
func (fr *frame) peek(v *ir.Value, i int64) (byte, bool, error) {
	src := fr.vals[v.Args[1]]
	if src.mem != nil {
		b, err := fr.bytes(v, 1, i, 1)
		if err != nil {
			return 0, false, err
		}
		return b[0], true, nil
	}
	space := fr.f.Kernel
	if v.Op == ir.OpReadU || v.Op == ir.OpReadUN || v.Op == ir.OpReadStrU {
		space = fr.f.User
	} else if off := src.w + i - fr.f.TaskAddr; off >= 0 && off < int64(len(fr.f.Task)) {
		return fr.f.Task[off], true, nil
	}
	b, ok := space[src.w+i]
	return b, ok, nil
}

// readStr copies up to the terminator, as the kernel's helper does: what lies
// behind it stays, and what does not fit is cut.
func (fr *frame) readStr(v *ir.Value) error {
	dst, err := fr.bytes(v, 0, v.Imm, v.Size)
	if err != nil {
		return err
	}
	for i := range dst {
		b, ok, err := fr.peek(v, int64(i))
		if err != nil {
			return err
		}
		if !ok {
			clear(dst)
			fr.set(v, -14)
			return nil
		}
		if i == len(dst)-1 {
			b = 0
		}
		dst[i] = b
		if b == 0 {
			fr.set(v, int64(i+1))
			return nil
		}
	}
	return nil
}

// fact gives what is the same throughout a firing.
func (fr *frame) fact(v *ir.Value) error {
	f := fr.f
	switch v.Op {
	case ir.OpBuiltin:
		w, ok := f.Builtins[v.Aux.(ir.Sym)]
		if !ok {
			return fmt.Errorf("no such fact")
		}
		fr.set(v, w+v.Imm)
	case ir.OpKey:
		fr.set(v, int64(f.Key))
	case ir.OpKeyIn:
		fr.set(v, truth(slices.Contains(v.Aux.(ir.KeySet), f.Key)))
	case ir.OpArg:
		fr.set(v, f.Args[v.Imm])
	case ir.OpTask:
		fr.set(v, f.TaskAddr)
	case ir.OpTaskLoad:
		if v.Imm < 0 || v.Imm+int64(v.Size) > int64(len(f.Task)) {
			return fmt.Errorf("outside of the task")
		}
		fr.set(v, getInt(f.Task[v.Imm:v.Imm+int64(v.Size)]))
	case ir.OpProbeStr:
		b := make([]byte, v.Size)
		copy(b, f.Probe[v.Imm][:min(len(f.Probe[v.Imm]), v.Size-1)])
		fr.setPtr(v, b)
	}
	return nil
}
