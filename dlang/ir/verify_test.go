package ir

import "testing"

// TestNotNullInLoop asks of a loop that is entered without a test whether a pointer
// may be null in it: first of its header, the way back of which comes before the way
// in, and then of what was taken not to be null only as long as the header was.
func TestNotNullInLoop(t *testing.T) {
	p, err := Parse(`sub x
b0:
 v0 = self
 v1 = arg
 jump b3
b1:
 jump b2
b2:
 branch v1 b1 b4
b3:
 jump b2
b4:
 return
`)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	v := &verifier{f: f, dom: Dominators(f), null: map[*Value]map[*Block]bool{}}
	self := f.Blocks[0].Vals[0]
	for _, n := range []int{2, 1, 4} {
		if v.notNull(f.Blocks[n], self) {
			t.Errorf("the pointer cannot be null in b%d, the verifier says", n)
		}
	}
}
