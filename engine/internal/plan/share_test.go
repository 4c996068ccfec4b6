package plan

import (
	"fmt"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// madeOf returns a site that is made of a hook, by what d says.
func madeOf(id uint32, h probes.Hook, key uint32, d probes.Derivation, args ...types.Type) *probes.Site {
	on := &probes.Site{Hook: h, Key: key, Words: len(args) + 1}
	for i, t := range args {
		on.Args = append(on.Args, probes.Arg{Type: t, Slot: i})
	}
	d.On = on
	s := *on
	s.ID, s.Probe, s.Derived, s.Args = id, probes.Probe{Provider: "made", Name: fmt.Sprint("p", id)}, &d, nil
	return &s
}

// madeProgram is a script of one clause for sites that are made of others, which reads
// their arguments or not.
func madeProgram(reads bool, sites ...*probes.Site) *check.Program {
	arg := &ast.Ident{Name: "arg0"}
	body := &ast.Block{Stmts: []ast.Stmt{&ast.ExprStmt{X: arg}}}
	p := program([][]*probes.Site{sites})
	p.Refs, p.Derived = map[ast.Expr]check.Ref{}, map[any]*check.Derived{}
	if reads {
		p.Refs[arg] = &check.Builtin{Name: "arg0"}
	}
	p.Clauses[0].AST = &ast.Clause{Body: body}
	for _, s := range sites {
		p.Derived[s.Derived] = &check.Derived{}
		for _, st := range s.Derived.State {
			p.Derived[st] = &check.Derived{Then: &check.Clause{InHook: true}}
		}
	}
	return p
}

// TestShareMade lets probes that are made of others share a program if they are made
// in the same way, of what has the same types, as far as anybody looks.
func TestShareMade(t *testing.T) {
	number, text := types.Type(types.Int64), types.Type(&types.Pointer{Elem: types.Char})
	function := func(n int) probes.Hook { return probes.Hook{Kind: probes.Function, Target: fmt.Sprint("f", n)} }
	several := func(n int, d func(i int) probes.Derivation, arg func(i int) types.Type) (list []*probes.Site) {
		for i := range n {
			list = append(list, madeOf(uint32(i+1), function(i), 0, d(i), arg(i)))
		}
		return list
	}
	plain := func(int) probes.Derivation {
		return probes.Derivation{Values: []string{"1"}, Types: []types.Type{number}}
	}
	byNumber := func(i int) probes.Derivation {
		return probes.Derivation{Values: []string{fmt.Sprint(i)}, Types: []types.Type{number}}
	}
	typed := func(int) probes.Derivation {
		return probes.Derivation{When: "args[0] != 0", Values: []string{"1"}, Types: []types.Type{number}}
	}
	same := func(int) types.Type { return number }
	mixed := func(i int) types.Type { return []types.Type{number, text}[i%2] }
	for _, tt := range []struct {
		name  string
		sites []*probes.Site
		reads bool
		tramp bool
		units int
	}{
		{"few, by trampoline", several(4, plain, same), true, true, 4},
		{"few, without", several(4, plain, same), true, false, 1},
		{"many", several(shareFrom, plain, same), true, true, 1},
		{"values that differ", several(6, byNumber, same), true, false, 6},
		{"values that nobody reads", several(6, byNumber, same), false, false, 1},
		{"types that nobody reads", several(6, plain, mixed), true, false, 1},
		{"types that differ", several(6, typed, mixed), false, false, 2},
	} {
		units := grouped(madeProgram(tt.reads, tt.sites...), func() bool { return true }, func() bool { return tt.tramp })
		if len(units) != tt.units {
			t.Errorf("%s: %d units, want %d", tt.name, len(units), tt.units)
		}
		for _, u := range units {
			for i, s := range u.Sites {
				if len(u.Sites) > 1 && (s.Hook != u.Hooks[i] || s.Key != uint32(i+1)) {
					t.Errorf("%s: hook %d is %s, its site %s with key %d", tt.name, i, u.Hooks[i].Target, s.Hook.Target, s.Key)
				}
			}
		}
	}
}

// TestShareCalls tells system calls apart by their numbers; two probes that are made
// of the same call have a program each.
func TestShareCalls(t *testing.T) {
	enter := probes.Hook{Kind: probes.Tracepoint, Target: "sys_enter", Select: probes.BySyscall}
	exit := probes.Hook{Kind: probes.Tracepoint, Target: "sys_exit", Select: probes.BySyscall}
	d := probes.Derivation{Values: []string{"1"}, Types: []types.Type{types.Int64}}
	units := grouped(madeProgram(true,
		madeOf(1, enter, 0, d), madeOf(1, enter, 5, d), madeOf(2, enter, 3, d), // one program
		madeOf(3, enter, 5, d), madeOf(4, enter, 9, d),
		madeOf(5, exit, 0, d), // of another hook
	), nil, nil)
	var got [][]uint32
	for _, u := range units {
		var keys []uint32
		for _, s := range u.Sites {
			keys = append(keys, s.Key)
		}
		got = append(got, keys)
	}
	if fmt.Sprint(got) != "[[0 3 5 9] [5] [0]]" {
		t.Errorf("programs by number of the call: %v", got)
	}
}

// TestShareStates lets what is noted for others share too.
func TestShareStates(t *testing.T) {
	var sites []*probes.Site
	for i := range 9 {
		on := &probes.Site{Hook: probes.Hook{Kind: probes.Function, Target: fmt.Sprint("g", i)}}
		note := &probes.State{On: on, Do: []string{"self->x = arg0"}}
		sites = append(sites, madeOf(uint32(i+1), probes.Hook{Kind: probes.Function, Target: fmt.Sprint("f", i), Return: true}, 0,
			probes.Derivation{Values: []string{"self->x"}, Types: []types.Type{types.Int64}, State: []*probes.State{note}}))
	}
	units := grouped(madeProgram(true, sites...), nil, func() bool { return true })
	if len(units) != 2 || len(units[0].Hooks) != 9 || units[0].Hooks[0].Target != "g0" || len(units[1].Hooks) != 9 {
		t.Errorf("%d units, the first of %d hooks", len(units), len(units[0].Hooks))
	}
}
