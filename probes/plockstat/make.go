package plockstat

import (
	"fmt"
	"slices"

	"dscope.dev/dlang/machine"
	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// sites makes a mark of the functions that the library has. Older libraries lack
// some; one at least there must be.
func (x *process) sites(m mark) ([]*probes.Site, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if list := x.made[m.name]; list != nil {
		return list, nil
	}
	var list []*probes.Site
	var args []probes.Arg
	var raw []types.Type
	for i, a := range m.args {
		args = append(args, probes.Arg{Name: a.name, Type: a.typ, Slot: i, User: true})
		raw = append(raw, a.typ)
	}
	for _, p := range m.places {
		needs, err := x.needed(p.needs)
		if err != nil {
			return nil, err
		}
		on, err := x.on(p)
		if err != nil {
			return nil, err
		}
		for _, s := range on {
			list = append(list, &probes.Site{
				Probe: x.probe(m), Hook: s.Hook, Key: s.Key, Args: args, Raw: len(args), Operands: s.Operands,
				Help: m.help,
				Derived: &probes.Derivation{On: s, When: p.when, Values: p.values, Types: raw,
					Then: slices.Clone(p.then), State: needs},
			})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has none of the functions that %s is made of", x.module, m.name)
	}
	x.made[m.name] = list
	return list, nil
}

// needed returns the states with these names. Each is made once, however many probes
// need it: then it is noted by one program.
func (x *process) needed(names []string) ([]*probes.State, error) {
	var list []*probes.State
	for _, name := range names {
		if x.states[name] == nil {
			made, err := x.note(states[name])
			if err != nil {
				return nil, err
			}
			x.states[name] = made
		}
		list = append(list, x.states[name]...)
	}
	return list, nil
}

// note makes a state.
func (x *process) note(places []place) (list []*probes.State, err error) {
	for _, p := range places {
		on, err := x.on(p)
		if err != nil {
			return nil, err
		}
		for _, s := range on {
			list = append(list, &probes.State{On: s, When: p.when, Do: p.then})
		}
	}
	return list, nil
}

// on returns the sites of a place.
func (x *process) on(p place) (list []*probes.Site, err error) {
	if len(p.functions) == 0 {
		return []*probes.Site{x.futex}, nil
	}
	for _, name := range p.functions {
		found, err := x.function(name, p)
		if err != nil && !isAbsent(err) {
			return nil, err
		}
		for _, s := range found {
			list = append(list, x.given(s, p))
		}
	}
	return list, nil
}

// function returns the sites of one function. That one returns the kernel tells by
// putting an address of its own in the place of the caller's. Nothing unwinds the
// stack through a function that locks, and some of them end by jumping to another,
// so that no instruction of theirs returns. A thread that waits for a condition may
// be canceled, and its stack unwound: there the provider of functions knows better.
func (x *process) function(name string, p place) ([]*probes.Site, error) {
	if p.what == "entry" || slices.Equal(p.functions, waiting) {
		return x.functions(name, p.what)
	}
	begin, err := x.functions(name, "entry")
	if err != nil {
		return nil, err
	}
	var list []*probes.Site
	for _, s := range begin {
		back := *s
		back.Hook.Return = true
		list = append(list, &back)
	}
	return list, nil
}

// given returns the site of a function with what the texts call arg0, arg1, …
//
//	entry   the first argument, and of what it points to: the lock, how often its
//	        owner holds it, the kind, the thread that writes, the owner of a mutex
//	entry   of the functions that wait for a condition: their arguments
//	return  what is returned, twice
//
// Memory that is not there yet has never been written: so it counts as 0, as a lock
// that is free.
func (x *process) given(on *probes.Site, p place) *probes.Site {
	s := *on
	m := machine.Of(x.arch)
	first, second := whole(m.Call[0]), whole(m.Call[1])
	switch {
	case p.what == "return":
		result := probes.Operand{Kind: probes.Value, Size: 4, Signed: true, Base: probes.Register{Word: uint8(m.Result), Size: 4}}
		s.Operands = []probes.Operand{result, result}
	case slices.Equal(p.functions, waiting):
		s.Operands = []probes.Operand{word(first), word(second)}
	default:
		s.Operands = []probes.Operand{word(first), member(first, 0), member(first, countAt), member(first, kindAt), member(first, writerAt), member(first, ownerAt)}
	}
	return &s
}

// whole is all of a word of struct pt_regs.
func whole(word int) probes.Register { return probes.Register{Word: uint8(word), Size: 8} }

// word is a register as it is.
func word(r probes.Register) probes.Operand {
	return probes.Operand{Kind: probes.Value, Size: 8, Base: r}
}

// member is an int of what a register points to.
func member(r probes.Register, at int64) probes.Operand {
	return probes.Operand{Kind: probes.Memory, Size: 4, Signed: true, Base: r, Disp: at, Try: true}
}
