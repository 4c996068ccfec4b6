package check

import (
	"fmt"
	"maps"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/elsewhere"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/near"
)

// nearest is near.Name, which is asked at every other word.
func nearest(name string, candidates []string) string { return near.Name(name, candidates) }

// nearFunc looks among all functions that may be called.
func (c *checker) nearFunc(name string) string {
	list := function.AggNames()
	for f := range function.All() {
		list = append(list, f.Name)
	}
	list = slices.AppendSeq(list, maps.Keys(c.funcs))
	if !c.opts.NoLibraries {
		list = append(list, c.opts.Libraries.Names(lib.Function)...)
		list = append(list, lib.Own().Names(lib.Function)...)
	}
	return nearest(name, list)
}

// nearVar looks among all that a plain name can mean.
func (c *checker) nearVar(name string) string {
	if c.vars[varKey{ast.Self, name}] != nil {
		return "self->" + name
	}
	if c.vars[varKey{ast.This, name}] != nil {
		return "this->" + name
	}
	var list []string
	for k := range c.vars {
		if k.scope == ast.Global {
			list = append(list, k.name)
		}
	}
	list = slices.AppendSeq(list, maps.Keys(builtinTable))
	list = slices.AppendSeq(list, maps.Keys(c.inlines))
	list = slices.AppendSeq(list, maps.Keys(constants))
	list = append(list, lib.Own().Names(lib.Inline)...)
	list = slices.AppendSeq(list, maps.Keys(c.enums))
	return nearest(name, list)
}

// nearScoped looks among the variables of the same scope, then for the same
// name in another one.
func (c *checker) nearScoped(x *ast.Var) string {
	var list []string
	for k := range c.vars {
		if k.scope == x.Scope {
			list = append(list, k.name)
		}
	}
	if near := nearest(x.Name, list); near != "" {
		return x.Scope.String() + "->" + near
	}
	for _, s := range []ast.Scope{ast.Self, ast.This, ast.Global} {
		if v := c.vars[varKey{s, x.Name}]; v != nil {
			return shownName(v)
		}
	}
	return ""
}

// count spells n things.
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing + "s"
	case 1:
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// foreign says how Linux spells what stands at n and another kernel calls so.
func (c *checker) foreign(say *diag.Diagnostic, n ast.Node) bool {
	if c.foreigners == nil {
		c.foreigners = append([]elsewhere.Name{}, elsewhere.Find(c.prog.Script)...)
	}
	at := n.Span()
	for _, f := range c.foreigners {
		switch {
		case at.From < f.At.From || at.From >= f.At.To:
			continue
		case f.Linux == "":
			say.Suggest("%s", f.Note)
			return true
		case f.Note == "":
			say.Suggest("Linux spells it %s; dscope check --linux rewrites the script", f.Linux)
		default:
			say.Suggest("Linux spells it %s (%s); dscope check --linux rewrites the script", f.Linux, f.Note)
		}
		say.Instead(f.At, f.Linux)
		return true
	}
	return false
}
