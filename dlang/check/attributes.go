package check

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
)

// A namePragma is #pragma D attributes or binding: it says something of a name
// that is declared before or after it.
type namePragma struct {
	at         *ast.Pragma
	word, name string
}

// attributesPragma checks attributes a/b/c name, and attributes a/b/c provider
// name part.
func (c *checker) attributesPragma(p *ast.Pragma, rest string) {
	words := strings.Fields(rest)
	if len(words) < 2 || words[1] == "provider" && len(words) != 4 || words[1] != "provider" && len(words) != 2 {
		c.errorf(p, diag.PragmaMalform, "#pragma D attributes needs a stability and a name").
			Suggest("#pragma D attributes Stable/Stable/Common name, or … provider name part")
		return
	}
	a, ok := ParseAttributes(words[0])
	if !ok {
		c.errorf(p, diag.PragmaInvalid, "%s is no stability", words[0]).
			Suggest("it has three parts: Stable/Stable/Common, Evolving/Evolving/ISA, …")
		return
	}
	if words[1] != "provider" {
		c.namePragmas = append(c.namePragmas, namePragma{p, "attributes", words[1]})
		c.attributes[words[1]] = a
		return
	}
	given, ok := c.prog.providers[words[2]]
	if !ok {
		given = ProviderPromises(words[2])
	}
	part := given.part(words[3])
	if part == nil {
		c.errorf(p, diag.PragmaInvalid, "%s is no part of a probe's name", words[3]).
			Suggest("there are provider, module, function, name, args")
		return
	}
	if !c.hasProvider(words[2], p) {
		c.errorf(p, diag.PragmaUnused, "no provider is called %s", words[2])
		return
	}
	*part = a
	c.prog.providers[words[2]] = given
}

// hasProvider reports whether a provider is declared or there.
func (c *checker) hasProvider(name string, at ast.Node) bool {
	if c.provided[name] != nil {
		return true
	}
	set, err := c.env.Probes(&ast.ProbeDesc{Text: name + ":::", Provider: name, At: ast.At(at.Span())})
	return err == nil && set.Count > 0
}

// bindingPragma checks binding "version" name.
func (c *checker) bindingPragma(p *ast.Pragma, rest string) {
	words := strings.Fields(rest)
	if len(words) != 2 || len(words[0]) < 2 || words[0][0] != '"' || words[0][len(words[0])-1] != '"' {
		c.errorf(p, diag.PragmaMalform, "#pragma D binding needs a version and a name").Suggest(`#pragma D binding "1.0" name`)
		return
	}
	version := words[0][1 : len(words[0])-1]
	if _, err := parseVersion(version); err != nil {
		c.errorf(p, diag.PragmaInvalid, "%q is no version: %s", version, err)
		return
	}
	if words[1] != "translator" {
		c.namePragmas = append(c.namePragmas, namePragma{p, "binding", words[1]})
	}
}

// applied complains about pragmas that say something of what the script does
// not declare.
func (c *checker) applied() {
	for _, p := range c.namePragmas {
		declared := c.vars[varKey{ast.Global, p.name}] != nil || c.inlines[p.name] != nil && c.inlines[p.name].item == nil
		switch {
		case declared || c.opts.Libraries.Lookup(p.name, lib.Inline, lib.Variable) != nil:
		case builtinTable[p.name] != nil || constants[p.name] != nil || isFunction(p.name) || c.libraryItem(p.name, lib.Inline) != nil:
			c.errorf(p.at, diag.PragmaScope, "#pragma D %s speaks of %s, which the script does not declare", p.word, p.name)
		default:
			c.errorf(p.at, diag.PragmaUnused, "#pragma D %s speaks of %s, and nothing is called so", p.word, p.name)
		}
	}
}

// stability finds what the clauses promise, and complains where that is less
// than the option amin asks for.
func (c *checker) stability() {
	if c.opts.NoAttributes && c.amin == nil {
		return
	}
	for _, cl := range c.prog.Clauses {
		for _, d := range cl.AST.Probes {
			if a, _ := c.prog.Promises(d); c.amin != nil && a.Below(*c.amin) {
				c.errorf(d, diag.AttrMin, "%s is %s, less than the %s that the script asks for", d.Text, a, c.amin)
			}
		}
		cl.Attributes = stableCommon
		if cl.AST.Pred != nil {
			c.promises(cl, cl.AST.Pred)
		}
		if cl.AST.Body != nil {
			c.promises(cl, cl.AST.Body)
		}
	}
}

// promises lowers the attributes of cl to those of all that n names.
func (c *checker) promises(cl *Clause, n ast.Node) {
	c.prog.Means.Walk(n, func(n ast.Node) bool {
		a, inside := c.promise(cl, n)
		cl.Attributes = cl.Attributes.Min(a)
		if c.amin != nil && a.Below(*c.amin) {
			c.errorf(n, diag.AttrMin, "%s is %s, less than the %s that the script asks for", c.text(n), a, c.amin)
		}
		return inside
	})
}

// promise returns what n itself promises, and whether its parts count too.
func (c *checker) promise(cl *Clause, n ast.Node) (a Attributes, inside bool) {
	switch n := n.(type) {
	case *ast.Ident:
		return c.namePromise(n)
	case *ast.Call:
		if a, ok := nameAttributes[n.Fn.Text]; ok {
			return a, true
		}
	case *ast.KSym:
		return ofTheKernel, true
	case *ast.Named:
		if c.ofKernel(n.Module, "typedef", n.Name, c.typedefs[n.Name] != nil || typedefTable[n.Name] != nil || basicTypes[n.Name] != nil) {
			return ofTheKernel, true
		}
	case *ast.Struct:
		kind := "struct"
		if n.Union {
			kind = "union"
		}
		if c.ofKernel(n.Module, kind, n.Tag, n.Defined || c.tags[kind+" "+n.Tag] != nil) {
			return ofTheKernel, true
		}
	case *ast.Member, *ast.Xlate: // as stable as what they begin with
		x := n.(ast.Expr)
		if m, ok := x.(*ast.Member); ok {
			c.promises(cl, m.X)
		} else {
			c.promises(cl, x.(*ast.Xlate).X)
		}
		return mostStable, false
	case *ast.Index:
		if _, ok := c.prog.Refs[n].(*ArgRef); ok {
			for _, d := range cl.AST.Probes {
				_, args := c.prog.Promises(d)
				a = args
			}
			return a, true
		}
	}
	return mostStable, true
}

// namePromise returns what a plain name promises: what a pragma says of it, or
// what its kind does.
func (c *checker) namePromise(x *ast.Ident) (a Attributes, inside bool) {
	if a, ok := c.attributes[x.Name]; ok {
		return a, false
	}
	if c.vars[varKey{ast.Global, x.Name}] != nil {
		return stableCommon, false
	}
	if in := c.inlines[x.Name]; in != nil {
		if in.item != nil {
			return libraryPromise(c.opts.Libraries, x.Name), false
		}
		return mostStable, true
	}
	if a, ok := nameAttributes[x.Name]; ok {
		return a, false
	}
	if builtinTable[x.Name] == nil && constants[x.Name] == nil && c.enums[x.Name] == nil && c.prog.Refs[x] != nil {
		if _, ok := c.prog.Refs[x].(*EnumConst); ok {
			return ofTheKernel, false
		}
	}
	return stableCommon, false
}

// libraryPromise returns the attributes that a library gives to a name.
func libraryPromise(user *lib.Index, name string) Attributes {
	for _, x := range []*lib.Index{user, lib.Own()} {
		if x == nil {
			continue
		}
		if a, ok := ParseAttributes(x.Attributes(name)); ok {
			return a
		}
	}
	return stableCommon
}

// ofKernel reports whether a type that is not the script's is the kernel's.
func (c *checker) ofKernel(module, kind, name string, own bool) bool {
	if own && module == "" || name == "" {
		return false
	}
	_, err := c.lookupType(kind, module, name)
	return err == nil
}

// ProviderPromises returns what a provider promises unless a script says
// otherwise. Those of processes end in the number of the process.
func ProviderPromises(name string) Provided {
	if p, ok := providerAttributes[name]; ok {
		return p
	}
	if p, ok := providerAttributes[strings.TrimRight(name, "0123456789")]; ok {
		return p
	}
	return Provided{unstable, unstable, unstable, unstable, unstable}
}

// Promises returns what a probe description promises, and what the arguments of
// its probes do.
func (p *Program) Promises(d *ast.ProbeDesc) (desc, args Attributes) {
	glob := func(s string) bool { return s == "" || strings.ContainsAny(s, "*?[") }
	given := Provided{unstable, unstable, unstable, unstable, unstable}
	if !glob(d.Provider) {
		var ok bool
		if given, ok = p.providers[d.Provider]; !ok {
			given = ProviderPromises(d.Provider)
		}
	}
	desc = given.Provider
	for _, part := range []struct {
		text string
		a    Attributes
	}{{d.Module, given.Module}, {d.Function, given.Function}, {d.Name, given.Name}} {
		if !glob(part.text) {
			desc = desc.Min(part.a)
		}
	}
	return desc, given.Args
}

// setMinimum applies the option amin.
func (c *checker) setMinimum(value string) {
	if a, ok := ParseAttributes(value); ok {
		c.amin = &a
	}
}

// validAttributes is the rule for the value of amin.
func validAttributes(value string) error {
	if _, ok := ParseAttributes(value); !ok {
		return fmt.Errorf("it takes a stability such as Evolving/Evolving/Common, not %q", value)
	}
	return nil
}
