package lower

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
)

// TestSearchRoundByRound compares what the subroutines for old kernels find with
// what the others do.
func TestSearchRoundByRound(t *testing.T) {
	for _, level := range []int{0, 2} {
		funcs := runtimeFuncs(t, level)
		r := rand.New(rand.NewPCG(5, 6))
		call := func(name string, words []int64, mems ...[]byte) int64 {
			t.Helper()
			w, err := interp.New(&ir.Program{}).Call(funcs[name], words, mems)
			if err != nil {
				t.Fatalf("-O%d %s: %v", level, name, err)
			}
			return w
		}
		for range 500 {
			for _, s := range subjects(r) {
				if s.name != "find" && s.name != "rfind" {
					continue
				}
				text, part, from := memory(s.args[0].(string)), memory(s.args[1].(string)), s.args[2].(int64)
				places := memory("")
				call("places", []int64{0, 0, 0}, text, part, places)
				var got int64
				if s.name == "find" {
					got = call("firstplace", []int64{0, 0, from}, text, places, nil)
				} else {
					got = call("lastplace", []int64{0, from}, places, nil)
				}
				if got != s.want {
					t.Fatalf("-O%d %s(%q) = %d by places, want %v", level, s.name, s.args, got, s.want)
				}
			}
		}
	}
}

// memory is a string with something behind it.
func memory(s string) []byte {
	b := []byte(strings.Repeat("~", size+8))
	copy(b, s+"\x00")
	return b
}
