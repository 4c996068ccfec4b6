package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// To load a program takes a millisecond; to take one off a function takes the kernel
// a grace period, and one after another. So hooks whose programs would be the same
// share one, in which a cookie tells who fires: if they fire the same clauses, and
// if what these read lies in the same places or is computed by the same text.

// fewTrampolines is how many functions a script may hook by trampolines, one program
// each, before those that could share a program do. A trampoline costs least to run
// through, and most to put up and take down.
const fewTrampolines = 8

// mergeAll lets units share programs. Those that note states are apart, because they
// come first.
func mergeAll(states, units []*Unit, cookies, tramp func() bool) (s, u []*Unit) {
	states, units = merge(states, false, cookies, tramp), merge(units, false, cookies, tramp)
	alone := 0
	for _, u := range append(slices.Clone(states), units...) {
		if len(u.Hooks) == 1 && u.Hooks[0].Kind == probes.Function {
			alone++
		}
	}
	if alone <= fewTrampolines {
		return states, units
	}
	return merge(states, true, cookies, tramp), merge(units, true, cookies, tramp)
}

// merge makes one of units of single hooks whose clauses are the same. Without attach
// cookies a shared program cannot tell who fired, so tracepoints are not merged
// unless the kernel has such for them. Places of processes always have. If there are
// many functions even few of them share.
func merge(units []*Unit, many bool, cookies, tramp func() bool) []*Unit {
	same := map[string][]*Unit{}
	var order []string
	for _, u := range units {
		if sig, ok := u.signature(); ok {
			if same[sig] == nil {
				order = append(order, sig)
			}
			same[sig] = append(same[sig], u)
		}
	}
	gone := map[*Unit]bool{}
	for _, sig := range order {
		list := alike(same[sig])
		if list[0].Hooks[0].Select == probes.BySyscall {
			mergeCalls(list, gone)
			continue
		}
		list = toMerge(list, many, tramp)
		if len(list) == 0 || !list[0].worthMerging(len(list), cookies) {
			continue
		}
		all := list[0]
		for _, u := range list[1:] {
			all.Hooks = append(all.Hooks, u.Hooks...)
			all.Sites = append(all.Sites, u.Sites...)
			gone[u] = true
		}
		for i, s := range all.Sites {
			keyed := *s
			keyed.Key = uint32(i + 1) // the cookie; 0 would be none
			all.Sites[i] = &keyed
		}
	}
	return slices.DeleteFunc(units, func(u *Unit) bool { return gone[u] })
}

// mergeCalls merges units of one hook of all system calls, told apart by the number
// of the call. What is made of the same call stays apart.
func mergeCalls(list []*Unit, gone map[*Unit]bool) {
	for len(list) > 1 {
		all, has := list[0], map[uint32]bool{list[0].Sites[0].Key: true}
		var again []*Unit
		for _, u := range list[1:] {
			s := u.Sites[0]
			if has[s.Key] {
				again = append(again, u)
				continue
			}
			has[s.Key], gone[u] = true, true
			all.Sites = append(all.Sites, s)
		}
		all.settle()
		list = again
	}
}

// worthMerging reports whether n units of the kind of u, with the same clauses, should
// be one program.
func (u *Unit) worthMerging(n int, cookies func() bool) bool {
	if u.Hooks[0].Shares() == probes.SharesAny {
		return n > 1
	}
	return n >= shareFrom && cookies()
}

// toMerge leaves out of units those that had better stay alone: a few functions
// have a trampoline each, which costs least.
func toMerge(units []*Unit, many bool, tramp func() bool) []*Unit {
	if units[0].Hooks[0].Kind != probes.Function || many || len(units) >= shareFrom {
		return units
	}
	return slices.DeleteFunc(units, func(u *Unit) bool { return trampolines(u.Sites[0]) && tramp() })
}

// alike leaves out of units with one signature those whose hooks have arguments of
// other types than the first's, though their names are the same.
func alike(units []*Unit) []*Unit {
	if units[0].derived == nil || !strings.Contains(units[0].made, "args[") {
		return units
	}
	args := argsOfHook(units[0].Sites[0])
	return slices.DeleteFunc(units, func(u *Unit) bool {
		return !slices.EqualFunc(args, argsOfHook(u.Sites[0]), func(a, b probes.Arg) bool {
			return a.Slot == b.Slot && a.User == b.User && a.As == b.As && types.Identical(a.Type, b.Type)
		})
	})
}

// argsOfHook returns the arguments of which the derivation of s speaks.
func argsOfHook(s *probes.Site) []probes.Arg {
	if s.Derived != nil {
		return s.Derived.On.Args
	}
	return s.Args // of what is noted for others
}

// signature spells the clauses of a unit that could share its program.
func (u *Unit) signature() (string, bool) {
	h := u.Hooks[0]
	if IsPattern(h) || h.Shares() == probes.SharesNever || len(u.Sites) != 1 {
		return "", false // a cookie names a hook, and must name a site
	}
	sig := []byte{byte(h.Kind), 0}
	switch {
	case h.Select == probes.BySyscall && u.derived == nil:
		return "", false // they share a unit already
	case h.Select == probes.BySyscall:
		sig = append(sig, h.Target...)
	}
	if h.Return {
		sig[1] = 1
	}
	for _, c := range u.Clauses {
		if u.derived == nil || c.Clause != u.derived.Then {
			sig = append(sig, byte(c.Clause.Index), byte(c.Clause.Index>>8), byte(c.Clause.Index>>16))
		}
	}
	if h.Kind == probes.Function { // of each provider by itself, or two would have one address
		sig = append(sig, u.Sites[0].Probe.Provider...)
	}
	if p := u.progeny(); p != 0 {
		sig = fmt.Appendf(sig, "of %d", p)
	}
	sig = append(sig, byte(u.Sites[0].Jump))
	if list := u.Sites[0].Except; len(list) > 0 {
		sig = fmt.Appendf(sig, "not %d", list)
	}
	return string(sig) + u.made, true
}

// spell says what of the only site of u its clauses read, and how that is made of the
// hook, if it is: units that spell the same have the same arguments as far as
// anybody looks.
func (u *Unit) spell(p *check.Program) {
	if len(u.Sites) != 1 || u.derived == nil && u.Sites[0].Operands == nil {
		return
	}
	s, read := u.Sites[0], slots{}
	for _, c := range u.Clauses {
		read.add(p, c.Clause)
	}
	if u.derived == nil {
		for i, o := range s.Operands {
			if read.has(i) {
				u.made += fmt.Sprintf("%d%v", i, o)
			}
		}
		return
	}
	text := append([]string{s.Derived.When}, s.Derived.Then...)
	for i, v := range s.Derived.Values {
		if read.has(i) {
			text = append(text, strconv.Itoa(i), v, s.Derived.Types[i].String())
		}
	}
	if s.Operands != nil { // of the hook, which the text may name
		text = append(text, fmt.Sprint(s.Operands))
	}
	u.made = spelled(s.Probe.Provider, s.Derived.On, text)
}

// spelled joins what a derivation says with what decides its meaning: whose variables
// it names, and the arguments of the hook if it speaks of these.
func spelled(provider string, on *probes.Site, text []string) string {
	made := provider + "\x00" + strings.Join(text, "\x00")
	if strings.Contains(made, "args[") {
		for _, a := range on.Args {
			made += "\x00" + strconv.Itoa(a.Slot) + a.Type.String()
		}
	}
	return made
}

// slots are the raw arguments that clauses read.
type slots struct {
	some map[int]bool
	all  bool
}

func (r *slots) has(i int) bool { return r.all || r.some[i] }

// add adds what a clause and the functions that it calls read of its probe.
func (r *slots) add(p *check.Program, c *check.Clause) {
	if r.some == nil {
		r.some = map[int]bool{}
	}
	seen := map[*check.Func]bool{}
	var each func(n ast.Node) bool
	each = func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			if c := p.Calls[call]; c != nil && c.User != nil && !seen[c.User] {
				seen[c.User] = true
				p.Means.Walk(c.User.AST.Body, each)
			}
		}
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		switch ref := p.Refs[x].(type) {
		case *check.ArgRef:
			r.some[ref.Arg.Slot] = true
		case *check.Builtin:
			if number, is := strings.CutPrefix(ref.Name, "arg"); is {
				slot, err := strconv.Atoi(number)
				r.some[slot], r.all = true, r.all || err != nil
			}
		}
		return true
	}
	p.Means.Walk(c.AST, each)
}
