package check

import (
	"errors"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/types"
)

// Where descriptions may match nothing, a clause may have no probe at all: it is
// absent. Nobody knows the types of its args[], and nobody needs them, because it
// never fires. They are types.Bad, which is contagious and mute, and mark the
// clause as one of which no code can be made. What such a clause alone gives a
// type, a variable or the key of an aggregation, is open: the first clause that
// may fire settles it. What stays open is never filled, and gets a type at the end
// so that no later phase meets one without.

// absent reports whether no probe of the clause that is being checked is there.
func (c *checker) absent() bool { return c.clause != nil && c.clause.absent() }

func (c *Clause) absent() bool {
	for _, s := range c.Probes {
		if s.Count > 0 {
			return false
		}
	}
	return true
}

// present returns those of sets that have probes.
func present(sets []ProbeSet) []ProbeSet {
	none := func(s ProbeSet) bool { return s.Count == 0 }
	if !slices.ContainsFunc(sets, none) {
		return sets // as most are
	}
	return slices.DeleteFunc(slices.Clone(sets), none)
}

// unknown gives the type of what only an absent probe could tell.
func (c *checker) unknown() types.Type {
	if c.absent() {
		c.clause.Unknown = true
	}
	return types.Bad
}

// isOpen reports whether only absent clauses have given v a value, and none a type.
func (c *checker) isOpen(v *Var) bool { return v.open && !c.absent() }

// readOpen refuses to read a variable without a type where it may fire, and leaves
// out the clause where it may not.
func (c *checker) readOpen(x ast.Expr, v *Var) types.Type {
	if c.absent() {
		return c.unknown()
	}
	v.open = false // one complaint is enough
	c.errorf(x, diag.UnknownVar, "the type of %s is not known: only clauses whose probes are not there assign it", shownName(v)).
		Suggest("declare it above, with its type")
	return types.Bad
}

// leftOut says so of a clause that will not fire although its probes may come to be
// there while the script runs. Of others it does not matter.
func (c *checker) leftOut(cl *Clause) {
	for i, s := range cl.Probes {
		if cl.Unknown && s.Open != nil && c.opts.ZeroProbesOK {
			c.warn(cl.AST.Probes[i], diag.ArgsType, "nothing tells the arguments of %s, which is not there yet: the clause is left out", cl.AST.Probes[i].Text).
				Suggest("arg0 to arg9, the raw values, need no types")
			return
		}
	}
}

// An unawaited description matches nothing now, and will not while the script runs.
type unawaited struct {
	*ast.ProbeDesc
	what string // tracepoints
}

// notAwaited says, once for all of them, that some descriptions stay without a probe even
// when the module comes that they speak of: -Z waits for functions of modules alone.
func (c *checker) notAwaited() {
	var texts, kinds []string
	for _, d := range c.nobody {
		texts, kinds = append(texts, d.Text), append(kinds, d.what)
	}
	if len(texts) == 0 {
		return
	}
	slices.Sort(kinds)
	match := "match"
	if len(texts) == 1 {
		match = "matches"
	}
	c.warn(c.nobody[0], diag.ProbeZero, "%s %s nothing: %s of modules that are loaded while the script runs are not waited for",
		strings.Join(texts, ", "), match, strings.Join(slices.Compact(kinds), " and ")).
		Suggest("load the module first; functions (fbt, rawfbt) are waited for")
}

// forgiven reports whether a description that cannot be had here counts as one that
// matches nothing, and says once for each provider why it does. What is wrong with
// the process that it names is a mistake.
func (c *checker) forgiven(d *ast.ProbeDesc, text string, code diag.Code, err error) bool {
	var t Tagger
	switch {
	case !c.opts.ZeroProbesOK:
		return false
	case errors.As(err, &t):
		return code == diag.ProcFunc
	}
	if !c.missing[d.Provider] {
		c.missing[d.Provider] = true
		c.warn(d, diag.ProbeZero, "%s matches no probe here: %s", text, err)
	}
	return true
}

// settle gives a type to all that stayed open.
func (c *checker) settle() {
	for _, v := range c.prog.Vars {
		if types.IsInvalid(v.Type) {
			v.Type = types.Int64
		}
		for i, k := range v.Keys {
			if types.IsInvalid(k) {
				v.Keys[i] = types.Int64
			}
		}
	}
	for _, a := range c.prog.Aggs {
		for i, k := range a.Keys {
			if types.IsInvalid(k.Type) {
				a.Keys[i] = AggKey{Type: types.Int64}
			}
		}
		if a.Params == nil && a.IsHistogram() && a.Fn().Words == 0 {
			a.Func = function.Counts.String() // of buckets that nobody knows, and nobody fills
		}
	}
}
