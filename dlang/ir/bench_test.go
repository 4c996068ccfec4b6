package ir

import (
	"fmt"
	"strings"
	"testing"
)

// diamonds is a function that chooses between two words n times, and tests what
// it has chosen: all of its branches can be threaded.
func diamonds(n int) string {
	var s strings.Builder
	s.WriteString("sub f result\nb0:\n\tv0 = arg\n\tjump b1\n")
	for i := range n {
		v, b := 10*i+1, 5*i+1
		fmt.Fprintf(&s, "b%d:\n\tv%d = arg #%d\n\tbranch v%d b%d b%d\n", b, v, i%10, v, b+1, b+2)
		fmt.Fprintf(&s, "b%d:\n\tv%d = builtin $cpu\n\tjump b%d\n", b+1, v+1, b+3)
		fmt.Fprintf(&s, "b%d:\n\tv%d = const #0\n\tjump b%d\n", b+2, v+2, b+3)
		fmt.Fprintf(&s, "b%d:\n\tv%d = phi b%d:v%d b%d:v%d\n\tbranch v%d b%d b%d\n", b+3, v+3, b+1, v+1, b+2, v+2, v+3, b+4, b+5)
		fmt.Fprintf(&s, "b%d:\n\tdrop #%d\n\tjump b%d\n", b+4, i, b+5)
	}
	fmt.Fprintf(&s, "b%d:\n\treturn v0\n", 5*n+1)
	return s.String()
}

// BenchmarkOptimize parses and optimises functions of many branches. Twice the
// branches should take twice the time.
func BenchmarkOptimize(b *testing.B) {
	for _, n := range []int{100, 400, 1600} {
		text := diamonds(n)
		b.Run(fmt.Sprint(n, " diamonds"), func(b *testing.B) {
			for b.Loop() {
				p, err := Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				if err := Optimize(p.Funcs[0], 2, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
