package check

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// The longest names, in bytes, and the most arguments, as DTrace has them.
const (
	maxProvider  = 63
	maxProbe     = 63
	maxProbeArgs = 255
)

// provider checks provider name { probe p(in) : (out); … }. From then on the
// arguments of its probes are those that it declares: out, translated from in.
func (c *checker) provider(x *ast.Provider) {
	name := x.Name.Text
	switch {
	case name == "":
		return // the parser has complained
	case len(name) > maxProvider:
		c.errorf(x.Name, diag.ProvBadName, "the name of a provider has at most %d characters", maxProvider)
		return
	case isDigit(name[len(name)-1]):
		c.errorf(x.Name, diag.ProvBadName, "the name of a provider cannot end with a digit").
			Suggest("digits there are the number of a process")
		return
	}
	c.provided[name] = x
	seen := map[string]*ast.ProbeDecl{}
	for _, d := range x.Probes {
		c.probeDecl(name, d, seen)
	}
}

func (c *checker) probeDecl(provider string, d *ast.ProbeDecl, seen map[string]*ast.ProbeDecl) {
	probe := probeName(d.Name.Text)
	switch {
	case probe == "":
		return
	case len(probe) > maxProbe:
		c.errorf(d.Name, diag.ProvBadName, "the name of a probe has at most %d characters", maxProbe)
		return
	case seen[probe] != nil:
		c.errorf(d, diag.ProvDup, "%s:::%s is declared twice", provider, probe).Note(seen[probe].Span(), "here first")
		return
	}
	seen[probe] = d
	for _, list := range [][]*ast.Param{d.In, d.Out} {
		if len(list) > maxProbeArgs {
			c.errorf(d, diag.ProvArgs, "a probe has at most %d arguments, not %d", maxProbeArgs, len(list))
			return
		}
	}
	in, ok := c.probeParams(d.In)
	out, ok2 := in, true
	if d.Out != nil {
		out, ok2 = c.probeParams(d.Out)
	}
	if !ok || !ok2 {
		return
	}
	made, ok := c.translations(d, provider+":::"+probe, in, out)
	if !ok {
		return
	}
	key := provider + ":" + probe
	if old, again := c.declared[key]; again && !sameArgs(old, made) {
		c.errorf(d, diag.ProvIncompat, "%s:::%s is declared again with other arguments: %s instead of %s", provider, probe, argList(made), argList(old))
		return
	}
	if c.fitsProbe(provider, probe, d, made) {
		c.declared[key] = made
	}
}

// probeParams checks the parameters of a probe.
func (c *checker) probeParams(list []*ast.Param) (args []Arg, ok bool) {
	ok = true
	for _, p := range list {
		t := c.typ(p.Type)
		if types.IsVoid(t) && len(list) == 1 && p.Name == nil {
			return nil, true // (void)
		}
		switch types.Resolve(t).(type) {
		case *types.Invalid:
			ok = false
			continue
		case *types.Void, *types.Func:
			c.errorf(p, diag.DeclProtoType, "%s cannot be an argument of a probe", t)
			ok = false
			continue
		}
		a := Arg{Type: types.Decay(t), Slot: len(args)}
		if p.Name != nil {
			a.Name = p.Name.Text
		}
		args = append(args, a)
	}
	return args, ok
}

// translations finds from which argument each of out is made: the one of its
// name, or if it has none, the one of its number.
func (c *checker) translations(d *ast.ProbeDecl, probe string, in, out []Arg) (made []Arg, ok bool) {
	if d.Out == nil {
		return in, true
	}
	for i, o := range out {
		from := i
		for j, a := range in {
			if o.Name != "" && a.Name == o.Name {
				from = j
			}
		}
		if from >= len(in) {
			c.errorf(d.Out[i], diag.ProvXlator, "argument %d of %s is made of nothing: no argument of the kernel is called %s", i+1, probe, o.Name)
			return nil, false
		}
		a := in[from]
		tr := c.translatorFor(pointee(o.Type), a.Type, nil)
		if tr == nil && !c.holdsValue(o.Type, a.Type, nil) {
			c.errorf(d.Out[i], diag.ProvXlator, "argument %d of %s: nothing translates %s to %s", i+1, probe, a.Type, o.Type)
			return nil, false
		}
		made = append(made, Arg{Name: o.Name, Type: a.Type, Slot: from, to: o.Type})
	}
	return made, true
}

// pointee returns what a pointer points to, and any other type as it is.
func pointee(t types.Type) types.Type {
	if p, ok := types.Resolve(t).(*types.Pointer); ok {
		return p.Elem
	}
	return t
}

// fitsProbe complains if the machine has the probe with fewer arguments than
// the declaration takes.
func (c *checker) fitsProbe(provider, probe string, d *ast.ProbeDecl, made []Arg) bool {
	set, err := c.env.Probes(&ast.ProbeDesc{Text: provider + ":::" + probe, Provider: provider, Name: probe, At: d.At})
	if err != nil || set.Count == 0 || set.Disagree {
		return true
	}
	for _, a := range made {
		if a.Slot >= len(set.Args) {
			c.errorf(d, diag.ProvIncompat, "%s:::%s has %s here, and the declaration wants %d", provider, probe,
				count(len(set.Args), "argument"), a.Slot+1)
			return false
		}
	}
	return true
}

// probeName spells the name of a probe as its descriptions do: two underscores
// stand for a hyphen.
func probeName(s string) string { return strings.ReplaceAll(s, "__", "-") }

// declaredArgs returns the arguments that the script or a library declares for
// the probe that d names, in terms of those that the machine has.
func (c *checker) declaredArgs(d *ast.ProbeDesc, set ProbeSet) ([]Arg, bool) {
	args, ok := c.declared[d.Provider+":"+d.Name]
	if !ok || set.Count == 0 {
		return nil, false
	}
	out := make([]Arg, len(args))
	for i, a := range args {
		out[i] = a
		if a.Slot < len(set.Args) {
			out[i].User = set.Args[a.Slot].User
			out[i].Slot = set.Args[a.Slot].Slot
		}
	}
	return out, true
}

// translatedArg gives x, which is args[n], its meaning where that is made by a
// translator.
func (c *checker) translatedArg(x *ast.Index, a Arg) types.Type {
	to := a.to
	if to == nil {
		if to = c.written(a.As); types.IsInvalid(to) {
			c.errorf(x, diag.ArgsType, "the type of %s, %s, is not known here", c.text(x), a.As).
				Suggest("the library declares it; use arg%d, the raw value", a.Slot)
			return types.Bad
		}
	}
	raw := ast.Clone(x, x.Span(), nil).(*ast.Index)
	raw.Raw = true
	at := ast.At(x.Span())
	if types.IsString(to) && a.User {
		return c.expand(x, &ast.Call{Fn: &ast.Name{Text: "copyinstr", At: at}, At: at,
			Args: []ast.Expr{&ast.Cast{Type: c.known(types.UInt64, x.Span()), X: raw, At: at}}})
	}
	if c.translatorFor(pointee(to), a.Type, nil) != nil {
		return c.expand(x, &ast.Xlate{Type: c.known(to, x.Span()), X: raw, At: at})
	}
	if !c.holdsValue(to, a.Type, nil) {
		c.errorf(x, diag.ArgsXlator, "%s is %s, and nothing translates %s to it", c.text(x), article(to), a.Type)
		return types.Bad
	}
	return c.expand(x, &ast.Cast{Type: c.known(to, x.Span()), X: raw, At: at})
}
