package kinst

import (
	"fmt"

	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/saved"
)

// A function that was inlined has arguments where it is entered, as far as the
// compiler has kept them and wrote down where: in each copy elsewhere. argN is args[N].

// parameters are those of a copy.
type parameters struct {
	list []binary.Param
	err  error
}

// describe fills in the arguments of the site of a copy.
func (a *answer) describe(s *spot, site *probes.Site) {
	conv := saved.Of(s.machine)
	if conv == nil {
		return
	}
	for i, p := range a.parameters(s) {
		t, where := saved.Shape(p)
		o := conv.Operand(where, t)
		o.Kernel = true
		if o.Kind == probes.Refused {
			o = a.absent(i, s, o.Why)
		}
		site.Args = append(site.Args, probes.Arg{Name: p.Name, Type: t, Slot: i})
		site.Operands = append(site.Operands, o)
	}
	site.Raw = len(site.Args)
}

// absent is what there is of an argument that one copy has not kept. If another copy
// has, scripts may ask for it, and to read it here is a fault: that of address 0.
func (a *answer) absent(i int, s *spot, why string) probes.Operand {
	if a.kept()[i] {
		return probes.Operand{Kind: probes.Memory, Kernel: true, Size: 8}
	}
	return probes.Operand{Kind: probes.Refused, Size: 8,
		Why: fmt.Sprintf("%s where it was put into %s (line %d), nor in any other copy", why, s.copy.Into.Name, s.copy.Line)}
}

// keeps returns the numbers of the arguments that any copy has kept.
func (a *answer) keeps() map[int]bool {
	kept := map[int]bool{}
	for i := range a.spots {
		for n, p := range a.parameters(&a.spots[i]) {
			if p.Where.Kind != binary.Nowhere {
				kept[n] = true
			}
		}
	}
	return kept
}

// parameters returns those of the copy at a spot, none if they are not known.
func (a *answer) parameters(s *spot) []binary.Param {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.params == nil {
		a.params = map[*binary.Copy]parameters{}
	}
	p, ok := a.params[s.copy]
	if !ok {
		p.list, p.err = s.copy.Params()
		a.params[s.copy] = p
	}
	if p.err != nil {
		return nil
	}
	return p.list
}
