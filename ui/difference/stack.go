package difference

import "dscope.dev/engine/trace"

// A function is what frames are compared by: the place within it does not matter, nor
// where a library was mapped. One without a symbol is a place in a module.
type function struct {
	module, symbol string
	place          uint64
}

func functionOf(f *trace.Frame) function {
	switch {
	case f.Symbol != "":
		return function{module: f.Module, symbol: f.Symbol}
	case f.Module != "" && (f.Raw || f.Offset != 0):
		return function{module: f.Module, place: f.Offset}
	}
	return function{module: f.Module, place: f.Addr}
}

// bare returns a frame without its place in the function.
func bare(f trace.Frame) trace.Frame {
	if f.Symbol != "" {
		f.Offset, f.Addr = 0, 0
	}
	return f
}

// A stackCoder numbers stacks, and the functions on them.
type stackCoder struct {
	exact   map[uint64][]int32 // codes of exact stacks by a hash of their addresses
	frames  [][]trace.Frame    // of exact stacks
	stack   []int32            // of exact stacks: that of its functions
	fns     map[function]int32
	frame   []trace.Frame // of functions
	named   map[string]int32
	sets    [][]int32       // of stacks of functions: each once
	leaves  []int32         // of stacks of functions
	samples [][]trace.Frame // of stacks of functions
	names   []byte
}

// stacks takes a dimension of stacks apart: by leaf, by whole stack, and by frame.
func (s *sample) stacks(leaf *column, d dimension) []*column {
	whole, any := *leaf, *leaf
	whole.codes, any.codes = make([]int32, len(s.all)), make([]int32, len(s.all))
	leaf.part, whole.part, any.part = Leaf, Stack, Frame
	k := &stackCoder{exact: map[uint64][]int32{}, fns: map[function]int32{}, named: map[string]int32{}}
	var kind trace.ValueKind
	for i, e := range s.all {
		leaf.codes[i], whole.codes[i], any.codes[i] = -1, -1, -1
		v := d.fact(e)
		if v == nil || len(v.Frames) == 0 || v.Kind != trace.StackValue && v.Kind != trace.UstackValue {
			continue
		}
		kind = v.Kind
		code := k.code(v.Frames)
		leaf.codes[i], whole.codes[i], any.codes[i] = k.leaves[code], code, code
	}
	for _, f := range k.frame {
		v := Value{Value: trace.Value{Kind: kind, Frames: []trace.Frame{f}}}
		leaf.add(v)
		any.add(v)
	}
	for _, frames := range k.samples {
		whole.add(Value{Value: trace.Value{Kind: kind, Frames: frames}})
	}
	any.sets = k.sets
	if any.sets == nil {
		any.sets = [][]int32{}
	}
	return []*column{leaf, &whole, &any}
}

// code numbers a stack by its functions.
func (k *stackCoder) code(frames []trace.Frame) int32 {
	h := uint64(len(frames))
	for i := range frames {
		h = h*0x100000001b3 ^ frames[i].Addr
	}
	for _, c := range k.exact[h] {
		if same(k.frames[c], frames) {
			return k.stack[c]
		}
	}
	n := int32(len(k.frames))
	k.exact[h] = append(k.exact[h], n)
	k.frames = append(k.frames, frames)
	k.stack = append(k.stack, k.functions(frames))
	return k.stack[n]
}

func same(a, b []trace.Frame) bool {
	if len(a) != len(b) {
		return false
	}
	if &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// functions numbers a stack that has not been met.
func (k *stackCoder) functions(frames []trace.Frame) int32 {
	k.names = k.names[:0]
	var set []int32
	once := map[int32]bool{}
	leaf := int32(-1)
	for i := range frames {
		fn := functionOf(&frames[i])
		code, ok := k.fns[fn]
		if !ok {
			code = int32(len(k.frame))
			k.fns[fn] = code
			k.frame = append(k.frame, bare(frames[i]))
		}
		if leaf < 0 {
			leaf = code
		}
		if !once[code] {
			once[code] = true
			set = append(set, code)
		}
		k.names = append(k.names, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
	}
	stack, ok := k.named[string(k.names)]
	if !ok {
		stack = int32(len(k.sets))
		k.named[string(k.names)] = stack
		k.sets = append(k.sets, set)
		k.leaves = append(k.leaves, leaf)
		k.samples = append(k.samples, frames)
	}
	return stack
}
