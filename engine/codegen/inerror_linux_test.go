package codegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
)

// TestFaultWithinError has faults in clauses of ERROR that have handed on their record:
// a clause with calls does so behind the last action that records. The fault that ERROR
// fires for is told each time, and first. The one within is counted and not told, so
// that nobody takes back the record; the random scripts call no functions in ERROR,
// because gen.Merge could not know of it either.
func TestFaultWithinError(t *testing.T) {
	codegen.NeedKernel(t)
	m := newMachine(t)
	for _, clause := range []string{
		`{ trace(1); gp.a = first(1, strstr(self->ss, self->ss)); }`,
		`{ trace(1); an[(1 ^^ second(1, copyinstr(arg2)))] /= 1; }`,
	} {
		c := &testCase{shots: m.shots(rand.New(rand.NewPCG(1, 2))), opts: gen.Options(), text: gen.Decls + `
			int first(unsigned pa, string pb) { go = self->so; return 0x80000000; }
			int second(int64_t pa, string pb) { gi2 = this->to.in[2]; if (pa) return 1; return ax[1, at[64]]; }
			ERROR ` + clause + `exec /arg9 == 6743/ { trace(self->ss); }`}
		p, list := m.check(c.text, c.macros)
		if list.Failed() {
			t.Fatal(list[0].Msg)
		}
		want := []string{"ax holds ", "an holds ", "at holds ", "sa holds ", "3 drops of kind 7"}
		for range m.people { // each of whom has no self->ss
			want = append([]string{"fault clause 1 action 1 kind 1 value 0", "record clause 0: 1"}, want...)
		}
		forms := m.prepare(p, c)
		for i, f := range forms {
			got, err := m.run(p, c, f)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s at -O%d leaves\n%q, want\n%q", clause, levels[i], got, want)
			}
			f.close()
		}
	}
}
