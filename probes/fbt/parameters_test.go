package fbt

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/types"
)

// Structs by value take the words that they need, and what is behind one that is not in
// registers as a whole is told to be unknown.
func TestParameters(t *testing.T) {
	number := types.Type(types.Int64)
	sized := func(bytes int) types.Type {
		s := types.NewStruct(false, fmt.Sprintf("s%d", bytes), nil)
		s.SetFields(nil, bytes, 8)
		return s
	}
	double := &types.Float{Name: "double", Bytes: 8}
	for _, tt := range []struct {
		params    []types.Type
		registers int
		want      string
		width     int
	}{
		{[]types.Type{number, sized(8), number}, 6, "0 1 2", 3},
		{[]types.Type{number, sized(16), number}, 6, "0 1 3", 4},
		{[]types.Type{number, number, number, number, number, sized(16), number}, 6,
			"0 1 2 3 4 (it is passed in memory) (it is not known)", 5},
		{[]types.Type{number, number, number, number, number, sized(16), number}, 8, "0 1 2 3 4 5 7", 8},
		{[]types.Type{number, number, number, number, number, number, sized(16), number}, 6, "0 1 2 3 4 5 6 8", 9},
		{[]types.Type{sized(24), number}, 6, "(it is passed in memory) (it is not known)", 0},
		{[]types.Type{number, double, number, number}, 6, "0 (it is passed in a floating-point register) (it is not known) (it is not known)", 1},
	} {
		args, width := parameters(&types.Func{Params: tt.params}, make([]string, len(tt.params)), tt.registers)
		var got []string
		for _, a := range args {
			switch why, _, _ := strings.Cut(a.Why, " where"); why {
			case "":
				got = append(got, fmt.Sprint(a.Slot))
			default:
				got = append(got, "("+why+")")
			}
		}
		if s := strings.Join(got, " "); s != tt.want || width != tt.width {
			t.Errorf("%v: %s in %d words, want %s in %d", tt.params, s, width, tt.want, tt.width)
		}
	}
}
