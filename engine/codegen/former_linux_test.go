package codegen_test

import (
	"math/rand/v2"
	"testing"

	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
)

// TestFormerBugs runs scripts that the kernel once refused, or that did something
// else than they say.
func TestFormerBugs(t *testing.T) {
	codegen.NeedKernel(t)
	m := newMachine(t)
	for _, tt := range []struct{ name, script string }{
		{"subroutine that only unreached code calls",
			`syscall::: /((12 ? "" : lltostr(args[0], 2)), "", 1)/ { @["a"] = quantize(1); }`},
		{"cell of a thread that ERROR made",
			`exec { trace(stringof(0)); } ERROR { self->si = 5; } exec { trace(self->si); }`},
		{"cell that the predicate did not find and ERROR made",
			`exec /self->si == 0/ { trace(stringof(0)); } ERROR { self->si = 5; } exec { trace(self->si); self->si = 0; }`},
		{"copy of a variable onto itself",
			`exec { gs = "a rather long constant"; gs = gs; } exec { trace(gs); }`},
		{"loop whose test comes last, in an open record",
			`exec { printf("%d %d %d", gi, gl, spin(3)); }`},
		{"loop whose numbers the verifier would follow",
			`exec { while (64 * this->tc-- == gc / -16; max 3) { int64_t l = this->tc; self->sa[*args[1]->nums] -= ++self->si < l; l += 1 % (l | arg4); } }`},
		{"pointer that is tested again after a loop",
			`syscall:::return { do { --self->sh; } while (ntohl(pid); max 1); if (self->sh) gi = 1; }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &testCase{text: gen.Decls + `int64_t spin(int n) { int64_t l; do l += 2 * n--; while (n > 0; max 9); return l; }` + tt.script, shots: m.shots(rand.New(rand.NewPCG(1, 2))), opts: gen.Options()}
			bad, err := c.run(m)
			if err != nil {
				t.Fatal(err)
			}
			if bad != nil {
				t.Errorf("%s\n%s", bad, c.explain(m))
			}
		})
	}
}
