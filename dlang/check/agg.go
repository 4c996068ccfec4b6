package check

import (
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// An aggregation is what the checker knows of one @name.
type aggregation struct {
	*Agg
	settled bool // whether the keys are known
	keysAt  token.Span
	uses    []aggUse // where it is read, until it is filled
	perhaps bool     // whether it may be filled where nothing can be said of that
}

// An aggUse is an action on an aggregation.
type aggUse struct {
	at token.Span
}

// aggregation returns what is known of @name, which may be nothing yet.
func (c *checker) aggregation(ref *ast.AggRef) *aggregation {
	a := c.aggs[ref.Name]
	if a == nil {
		a = &aggregation{Agg: &Agg{Index: len(c.prog.Aggs), Name: ref.Name}}
		c.aggs[ref.Name] = a
		c.prog.Aggs = append(c.prog.Aggs, a.Agg)
	}
	c.prog.Refs[ref] = a.Agg
	return a
}

// aggAssign checks @name[keys] = fn(args). The first assignment to a name
// settles its function; later ones must agree, because all of them share one map.
func (c *checker) aggAssign(s *ast.AggAssign) {
	name := s.Fn.Text
	fn := function.FindAgg(name)
	if fn.ID == function.NoAgg {
		c.noAggFunc(s)
		return
	}
	c.aggInOrder(s)
	a := c.aggregation(s.Agg)
	kinds := c.keys(s.Agg, a)
	for _, arg := range s.Args {
		c.value(arg)
	}
	switch {
	case a.Func == "":
		a.Func, a.First = name, s.Fn.Span()
	case a.Func != name:
		c.errorf(s.Fn, diag.AggRedefined, "@%s cannot hold both %s() and %s()", s.Agg.Name, a.Func, name).
			Note(a.First, "%s() was chosen here", a.Func).
			Suggest("use another name: @%s_%s", s.Agg.Name, name)
		return
	}
	if n := len(s.Args); n < fn.Min || n > fn.Max {
		c.errorf(s.Fn, diag.ProtoLen, "%s() takes %s, not %d", name, arity(fn.Min, fn.Max, false), n).Suggest("%s", fn.Proto)
		return
	}
	c.aggArgs(s, fn, &AggAssign{Agg: a.Agg, Kinds: kinds})
}

func (c *checker) noAggFunc(s *ast.AggAssign) {
	name := s.Fn.Text
	c.keys(s.Agg, c.aggregation(s.Agg))
	for _, arg := range s.Args {
		c.expr(arg)
	}
	// Whatever was meant, @name is filled: reading it is no second mistake.
	c.aggs[s.Agg.Name].uses = nil
	if c.aggs[s.Agg.Name].Func == "" {
		c.aggs[s.Agg.Name].Func, c.aggs[s.Agg.Name].First = "?", s.Fn.Span()
	}
	if function.Is(name) {
		c.errorf(s.Fn, diag.AggFunc, "%s() does not aggregate", name).
			Suggest("use one of %s", strings.Join(slices.Sorted(slices.Values(function.AggNames())), ", "))
		return
	}
	if name == "" {
		return // the parser has complained
	}
	say := c.errorf(s.Fn, diag.UnknownFunc, "undefined function name: %s", name)
	if near := nearest(name, function.AggNames()); near != "" {
		say.Suggest("did you mean %s()?", near).Instead(s.Fn.Span(), near)
		return
	}
	say.Suggest("use one of %s", strings.Join(slices.Sorted(slices.Values(function.AggNames())), ", "))
}

// aggArgs checks the arguments of an aggregating function, whose number is right.
func (c *checker) aggArgs(s *ast.AggAssign, fn *function.Aggregate, info *AggAssign) {
	a, known := info.Agg, true
	for i, arg := range s.Args {
		t := c.prog.Types[arg]
		if types.IsInvalid(t) { // reported where it arose, or unknown
			if known = false; i > 0 {
				return
			}
			continue // the shape of the buckets does not depend on it
		}
		if i == 0 && !types.IsScalar(types.Decay(t)) {
			c.errorf(arg, diag.AggScalar, "%s() needs a number, not %s", s.Fn.Text, t)
			return
		}
		if i > 0 && i == fn.Incr && !types.IsInteger(t) {
			c.errorf(arg, diag.ProtoArg, "the weight in %s() must be an integer, not %s", s.Fn.Text, t)
			return
		}
	}
	if len(s.Args) > 0 {
		info.Value = s.Args[0]
	}
	if fn.Incr > 0 && len(s.Args) > fn.Incr {
		info.Incr = s.Args[fn.Incr]
	}
	switch fn.ID {
	case function.Lquantize:
		if !c.lquantize(s, a) {
			return
		}
	case function.Llquantize:
		if !c.llquantize(s, a) {
			return
		}
	}
	if known {
		info.Dims = c.dims(s)
		c.prog.AggAssigns[s] = info
	}
}

// aggKeys checks an aggregation that is read where it cannot be, so that what
// is wrong with its keys is reported too.
func (c *checker) aggKeys(ref *ast.AggRef) {
	for _, k := range ref.Keys {
		c.aggKey(k)
	}
}

// keys checks the tuple of keys, and returns what they are. The first use of a name
// settles it.
func (c *checker) keys(ref *ast.AggRef, a *aggregation) (kinds []KeyKind) {
	keys := make([]AggKey, len(ref.Keys))
	c.tupleFits(ref)
	for i, k := range ref.Keys {
		keys[i] = c.aggKey(k)
		kinds = append(kinds, keys[i].Kind)
	}
	switch {
	case !a.settled:
		a.Keys, a.settled, a.keysAt = keys, true, ref.Span()
		return kinds
	case len(keys) != len(a.Keys):
		c.errorf(ref, diag.ProtoLen, "@%s has %s, not %d", ref.Name, count(len(a.Keys), "key"), len(keys)).
			Note(a.keysAt, "its keys were settled here")
		return kinds
	}
	for i := range keys {
		if !c.agreeKey(ref, i, &a.Keys[i], keys[i]) {
			c.errorf(ref.Keys[i], diag.ProtoArg, "key %d of @%s is %s, not %s", i+1, ref.Name, keyName(a.Keys[i]), keyName(keys[i])).
				Note(a.keysAt, "its keys were settled here")
		}
	}
	return kinds
}

// aggKey checks one key.
func (c *checker) aggKey(k ast.Expr) AggKey {
	if call, ok := c.prog.Means.Unparen(k).(*ast.Call); ok {
		if fn := function.Find(call.Fn.Text); fn.Key != KeyValue {
			t := c.set(call, c.callAs(call, false, true))
			return AggKey{Type: c.set(k, t), Kind: fn.Key}
		}
	}
	t := c.keyValue(k)
	if types.IsCharArray(t) {
		t = &types.String{Max: strMax(t)}
	}
	return AggKey{Type: t}
}

// agreeKey reports whether have may stand where want was settled, lengthens want
// where a string needs more room, and notes what else an element may be: stacks of
// the kernel and of processes mix, and so do the names of one address space.
func (c *checker) agreeKey(ref *ast.AggRef, i int, want *AggKey, have AggKey) bool {
	switch {
	case types.IsInvalid(have.Type):
		return true
	case types.IsInvalid(want.Type):
		*want = have
		return true
	case want.Kind.Family() != have.Kind.Family():
		return false
	case want.Kind != KeyValue:
		if want.Kind != have.Kind && !slices.Contains(want.Also, have.Kind) {
			want.Also = append(want.Also, have.Kind)
		}
		return true
	case types.IsString(want.Type) && types.IsString(have.Type):
		want.Type = longer(want.Type, have.Type)
		return true
	case types.IsInteger(want.Type) && types.IsInteger(have.Type):
		return true // cut to the type of the first use, as DTrace does
	}
	return c.keyFits(ref.Keys[i], want.Type, have.Type)
}

func keyName(k AggKey) string {
	switch k.Kind {
	case KeyStack:
		return "a kernel stack"
	case KeyUstack:
		return "a user stack"
	case KeySym, KeyMod:
		return "a kernel symbol"
	case KeyUsym, KeyUmod, KeyUaddr:
		return "a user symbol"
	}
	return k.Type.String()
}

// useAgg notes that an action acts on an aggregation.
func (c *checker) useAgg(ref *ast.AggRef) *Agg {
	a := c.aggregation(ref)
	if a.Func == "" {
		a.uses = append(a.uses, aggUse{at: ref.Span()})
	}
	return a.Agg
}

// unfilled complains about aggregations that the script reads and never fills.
func (c *checker) unfilled() {
	for _, a := range c.prog.Aggs {
		if a.Func != "" || c.aggs[a.Name].perhaps {
			continue
		}
		for _, u := range c.aggs[a.Name].uses {
			say := c.list.Add(u.at, diag.AggNull, "nothing fills @%s", a.Name)
			if near := nearest(a.Name, c.filled()); near != "" {
				say.Suggest("did you mean @%s?", near).Instead(nameAfter(u.at.From, a.Name), near)
				continue
			}
			say.Suggest("fill it in a clause: @%s = count();", a.Name)
		}
	}
}

func (c *checker) filled() []string {
	var list []string
	for _, a := range c.prog.Aggs {
		if a.Func != "" {
			list = append(list, a.Name)
		}
	}
	return list
}

// Aggregates reports whether an aggregating function is called so.
func Aggregates(name string) bool { return function.IsAgg(name) }
