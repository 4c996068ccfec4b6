package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// ofCalls returns a unit of n system calls, and clauses that fire at some of them, the first at
// all.
func ofCalls(r *rand.Rand, n, clauses int) *Unit {
	u := &Unit{Hooks: []probes.Hook{{Select: probes.BySyscall}}}
	for i := range n {
		u.Sites = append(u.Sites, &probes.Site{Key: uint32(3 * i)})
	}
	for i := range clauses {
		c := unitClause{Clause: &check.Clause{Index: i}}
		for _, s := range u.Sites {
			if i > 0 && r.IntN(clauses) == 0 {
				c.keys = append(c.keys, s.Key)
			}
		}
		if i == 0 || c.keys != nil {
			u.Clauses = append(u.Clauses, c)
		}
	}
	return u
}

// fires lists what fires where, in order.
func fires(units ...*Unit) []string {
	var list []string
	for _, u := range units {
		for _, s := range u.Sites {
			for _, c := range u.Clauses {
				if c.keys == nil || slices.Contains(c.keys, s.Key) {
					list = append(list, fmt.Sprintf("%d: %d", s.Key, c.Clause.Index))
				}
			}
		}
	}
	return list
}

// TestDivide divides units of calls: what fires where stays as it was, in order.
func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		u := ofCalls(r, 2+r.IntN(40), 1+r.IntN(30))
		n := 2 + r.IntN(len(u.Sites)-1)
		parts := u.divide(n)
		if len(parts) < 2 || len(parts) > n {
			t.Fatalf("%d parts of %d sites, asked for %d", len(parts), len(u.Sites), n)
		}
		if got, want := fires(parts...), fires(u); !slices.Equal(got, want) {
			t.Fatalf("in %d parts: got %v, want %v", n, got, want)
		}
	}
}

// TestDivided divides the unit that is too large, and no other, nor what cannot be divided.
func TestDivided(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	one, large := ofCalls(r, 8, 4), ofCalls(r, 8, 4)
	units := []*Unit{one, large, one}
	got, ok := divided(units, fmt.Errorf("generate: %w", &codegen.Error{Unit: 1, Times: 2.4}))
	if !ok || len(got) < 4 || len(got) > 5 || got[0] != one || got[len(got)-1] != one || !slices.Equal(fires(got[1:len(got)-1]...), fires(large)) {
		t.Errorf("%v: %d units", ok, len(got))
	}
	sole := &Unit{Hooks: []probes.Hook{{}}, Sites: large.Sites, Clauses: large.Clauses}
	for name, test := range map[string]struct {
		units []*Unit
		err   error
	}{
		"another error":        {units, errors.New("x")},
		"another refusal":      {units, &codegen.Error{Unit: 1}},
		"one call":             {[]*Unit{ofCalls(r, 1, 3)}, &codegen.Error{Times: 2}},
		"no calls of a system": {[]*Unit{sole}, &codegen.Error{Times: 2}},
		"no such unit":         {units, &codegen.Error{Unit: 3, Times: 2}},
	} {
		if _, ok := divided(test.units, test.err); ok {
			t.Errorf("%s: divided", name)
		}
	}
}

// TestLighter divides what the kernel would be long about, as far as it can be.
func TestLighter(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	small, large, sole := ofCalls(r, 8, 4), ofCalls(r, 8, 4), ofCalls(r, 1, 4)
	object := &codegen.Object{Spec: &ebpf.CollectionSpec{Programs: map[string]*ebpf.ProgramSpec{
		"a": {Instructions: make(asm.Instructions, mostChecked)},
		"b": {Instructions: make(asm.Instructions, 3*mostChecked/2)},
		"c": {Instructions: make(asm.Instructions, 3*mostChecked)},
	}}, Progs: []string{"a", "b", "c", ""}}
	errors := &Unit{Hooks: []probes.Hook{{Kind: probes.Test}}}
	got, again := lighter([]*Unit{small, large, sole, errors}, sizes(object), mostChecked)
	if !again || len(got) < 5 || got[0] != small || got[len(got)-2] != sole || got[len(got)-1] != errors {
		t.Fatalf("%v, %d units", again, len(got))
	}
	if got, want := fires(got[1:len(got)-2]...), fires(large); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, again := lighter([]*Unit{small, sole}, sizes(&codegen.Object{Spec: object.Spec, Progs: []string{"a", "c"}}), mostChecked); again || len(got) != 2 {
		t.Errorf("%v, %d units", again, len(got))
	}
}
