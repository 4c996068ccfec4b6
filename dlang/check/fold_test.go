package check_test

import (
	"math"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		op     token.Kind
		a, b   int64
		ta, tb types.Type
		want   int64
	}{
		{token.Plus, math.MaxInt64, 1, types.Long, types.Long, math.MinInt64},
		{token.Plus, math.MaxInt32, 1, types.IntType, types.IntType, math.MaxInt32 + 1},
		{token.Plus, math.MaxInt32, 1, types.IntType, types.Long, math.MaxInt32 + 1},
		{token.Plus, 200, 100, types.UChar, types.UChar, 300}, // promoted to int
		{token.Minus, 0, 1, types.UInt, types.UInt, -1},
		{token.Minus, 0, 1, types.ULong, types.ULong, -1},
		{token.Star, math.MinInt64, -1, types.Long, types.Long, math.MinInt64},
		{token.Slash, math.MinInt64, -1, types.Long, types.Long, math.MinInt64},
		{token.Slash, -8, 3, types.IntType, types.IntType, -2},
		{token.Slash, -8, 3, types.Long, types.ULong, 6148914691236517202},
		{token.Slash, -1, 2, types.IntType, types.UInt, math.MaxInt64},
		{token.Percent, math.MinInt64, -1, types.Long, types.Long, 0},
		{token.Percent, -8, 3, types.IntType, types.IntType, -2},
		{token.Percent, 19, -5, types.IntType, types.IntType, 4},
		{token.Percent, -19, -5, types.IntType, types.IntType, -4},
		{token.Percent, -1, 10, types.ULong, types.ULong, 5},
		{token.Lt, -1, 1, types.IntType, types.IntType, 1},
		{token.Lt, -1, 1, types.IntType, types.UInt, 0},
		{token.Lt, -1, 1, types.IntType, types.ULong, 0},
		{token.Lt, -1, 1, types.Short, types.UShort, 0}, // no promotion to int
		{token.Ge, -1, 1, types.Long, types.UInt, 0},
		{token.Eq, -1, math.MaxUint32, types.IntType, types.UInt, 0}, // -1 has all 64 bits
		{token.Ne, -1, math.MaxUint32, types.Long, types.UInt, 1},
		{token.Le, 5, 5, types.IntType, types.IntType, 1},
		{token.Gt, -1, 5, types.ULong, types.ULong, 1},
		{token.Shl, 1, 31, types.IntType, types.IntType, math.MaxInt32 + 1},
		{token.Shl, 1, 32, types.IntType, types.IntType, math.MaxUint32 + 1},
		{token.Shl, 1, 63, types.Long, types.IntType, math.MinInt64},
		{token.Shr, -8, 1, types.IntType, types.IntType, -4},
		{token.Shr, -8, 1, types.ULong, types.IntType, math.MaxInt64 - 3},
		{token.Shr, -1, 1, types.UInt, types.IntType, math.MaxInt64},
		{token.Amp, -1, 0xff, types.IntType, types.IntType, 0xff},
		{token.Pipe, 1, 6, types.IntType, types.IntType, 7},
		{token.Caret, -1, -1, types.IntType, types.IntType, 0},
		{token.AndAnd, 4, 2, types.IntType, types.IntType, 1},
		{token.OrOr, 0, 0, types.IntType, types.IntType, 0},
		{token.XorXor, 4, 2, types.IntType, types.IntType, 0},
		{token.XorXor, 4, 0, types.IntType, types.IntType, 1},
	} {
		got, ok := check.Fold(tt.op, tt.a, tt.b, tt.ta, tt.tb)
		if !ok || got != tt.want {
			t.Errorf("(%s)%d %s (%s)%d = %d, %t, want %d", tt.ta, tt.a, tt.op, tt.tb, tt.b, got, ok, tt.want)
		}
	}
	for _, op := range []token.Kind{token.Slash, token.Percent} {
		if _, ok := check.Fold(op, 1, 0, types.IntType, types.IntType); ok {
			t.Errorf("1 %s 0 has a value", op)
		}
	}
}
