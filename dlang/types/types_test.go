package types_test

import (
	"math"
	"testing"

	"dscope.dev/dlang/types"
)

func TestString(t *testing.T) {
	task := types.NewStruct(false, "task_struct", nil)
	handler := &types.Pointer{Elem: &types.Func{Result: types.VoidType, Params: []types.Type{types.IntType, types.VoidPtr}, Variadic: true}}
	for _, tt := range []struct {
		t    types.Type
		want string
	}{
		{types.UInt64, "uint64_t"},
		{&types.Pointer{Elem: task}, "struct task_struct *"},
		{&types.Pointer{Elem: &types.Pointer{Elem: task}}, "struct task_struct **"},
		{&types.Array{Elem: &types.Array{Elem: types.IntType, Len: 4}, Len: 3}, "int [3][4]"},
		{&types.Pointer{Elem: &types.Array{Elem: types.IntType, Len: 4}}, "int (*)[4]"},
		{handler, "void (*)(int, void *, ...)"},
		{&types.Array{Elem: handler, Len: 2}, "void (*[2])(int, void *, ...)"},
		{&types.Func{Result: &types.Pointer{Elem: &types.Array{Elem: types.IntType, Len: 4}}}, "int (*(void))[4]"},
		{&types.Array{Elem: &types.Pointer{Elem: types.Char}, Len: 3}, "char *[3]"},
		{&types.Func{Result: types.IntType}, "int (void)"},
		{types.NewStruct(true, "", nil), "union {…}"},
		{&types.Enum{Tag: "color"}, "enum color"},
		{&types.String{Max: 16}, "string"},
	} {
		if got := tt.t.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestCommon(t *testing.T) {
	long := &types.Enum{Tag: "l", Bytes: 8}
	for _, tt := range []struct{ a, b, want types.Type }{
		{types.Char, types.Short, types.Short}, // not int, as in C
		{types.UShort, types.UChar, types.UShort},
		{types.Char, types.UChar, types.UChar},
		{types.IntType, types.UInt, types.UInt},
		{types.UInt, types.Long, types.Long}, // long holds every unsigned int
		{types.Long, types.ULong, types.ULong},
		{types.Long, types.LongLong, types.Long},
		{types.UInt64, types.Char, types.ULong},
		{&types.Enum{Tag: "e", Bytes: 4, Signed: true}, types.Char, types.IntType},
		{&types.Enum{Tag: "e", Bytes: 4}, types.Char, types.UInt},
		{&types.Enum{Tag: "e", Bytes: 1}, types.Char, types.IntType},
		{long, types.Char, types.ULong},
	} {
		for _, got := range []types.Type{types.Common(tt.a, tt.b), types.Common(tt.b, tt.a)} {
			if !types.Identical(got, tt.want) {
				t.Errorf("Common(%s, %s) = %s, want %s", tt.a, tt.b, got, tt.want)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		v    int64
		t    types.Type
		want int64
	}{
		{300, types.UChar, 44},
		{200, types.SChar, -56},
		{-1, types.UInt, math.MaxUint32},
		{-1, types.ULong, -1},
		{1 << 31, types.IntType, math.MinInt32},
		{1 << 40, types.Int64, 1 << 40},
		{-5, types.VoidPtr, -5},
		{65536 + 7, types.UInt16, 7},
	} {
		if got := types.Wrap(tt.v, tt.t); got != tt.want {
			t.Errorf("Wrap(%d, %s) = %d, want %d", tt.v, tt.t, got, tt.want)
		}
	}
}

func TestMember(t *testing.T) {
	inner := types.NewStruct(true, "", nil)
	inner.SetFields([]types.Field{{Name: "a", Type: types.IntType}, {Name: "b", Type: types.Long}}, 8, 8)
	asked := 0
	s := types.NewStruct(false, "s", func(s *types.Struct) {
		asked++
		s.SetFields([]types.Field{{Name: "x", Type: types.IntType}, {Type: inner, Off: 64}, {Name: "y", Type: types.UInt, Off: 128, Bits: 3}}, 24, 8)
	})
	for _, tt := range []struct {
		name string
		off  int // in bits; -1 if there is no such member
	}{
		{"x", 0}, {"a", 64}, {"b", 64}, {"y", 128}, {"z", -1}, {"", -1},
	} {
		f, ok := s.Member(tt.name)
		if !ok {
			f.Off = -1
		}
		if f.Off != tt.off {
			t.Errorf("%q lies at bit %d, want %d", tt.name, f.Off, tt.off)
		}
	}
	if s.Size() != 24 || s.Align() != 8 || asked != 1 {
		t.Errorf("size %d, align %d, asked %d times", s.Size(), s.Align(), asked)
	}
	if never := types.NewStruct(false, "never", nil); never.Complete() || never.Size() != 0 || never.Align() != 1 {
		t.Error("a struct without a definition is complete")
	}
}

func TestPredicates(t *testing.T) {
	chars := &types.Array{Elem: types.Char, Len: 16}
	for _, tt := range []struct {
		t                       types.Type
		integer, scalar, strish bool
	}{
		{types.Int8, true, true, false},
		{&types.Enum{Bytes: 4}, true, true, false},
		{types.VoidPtr, false, true, false},
		{&types.Pointer{Elem: types.Char}, false, true, true},
		{chars, false, false, true},
		{&types.Array{Elem: types.IntType, Len: 4}, false, false, false},
		{types.StrType, false, false, true},
		{types.VoidType, false, false, false},
		{types.Bad, false, false, false},
	} {
		if types.IsInteger(tt.t) != tt.integer || types.IsScalar(tt.t) != tt.scalar || types.IsStringLike(tt.t) != tt.strish {
			t.Errorf("%s: integer %t, scalar %t, string %t", tt.t, types.IsInteger(tt.t), types.IsScalar(tt.t), types.IsStringLike(tt.t))
		}
	}
	if !types.Identical(types.Decay(chars), &types.Pointer{Elem: types.Char}) {
		t.Error("an array of characters decays to something else")
	}
	if types.Identical(types.UInt, types.IntType) || !types.Identical(types.UInt64, types.ULongLong) {
		t.Error("integers are the same if their size and sign are")
	}
}
