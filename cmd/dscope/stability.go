package main

import (
	"fmt"
	"io"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// printStability prints the least that a part of the script promises, as dtrace(1)
// does with -v: of the clauses that begin where in says. If the script is only
// compiled, each of its probe descriptions follows.
func printStability(out io.Writer, c *engine.Compiled, in func(offset int) bool, compiled bool) {
	probes, statements := check.DefaultAttributes(), check.DefaultAttributes()
	some := false
	each := func(f func(*check.Clause, *ast.ProbeDesc)) {
		for _, cl := range c.Program().Clauses {
			if in(cl.AST.Span().From.Offset()) {
				for _, d := range cl.AST.Probes {
					f(cl, d)
				}
			}
		}
	}
	each(func(cl *check.Clause, d *ast.ProbeDesc) {
		a, _ := c.Program().Promises(d)
		if !some {
			probes, statements, some = a, cl.Attributes, true
		}
		probes, statements = probes.Min(a), statements.Min(cl.Attributes)
	})
	printAttributes(out, "Minimum Probe Description Attributes", probes)
	printAttributes(out, "Minimum Statement Attributes", statements)
	if !compiled {
		fmt.Fprintln(out)
		return
	}
	each(func(cl *check.Clause, d *ast.ProbeDesc) { printProbeDesc(out, c.Program(), cl, d) })
}

// printPromises prints what a probe and its arguments promise, as dtrace(1) does
// with -l and -v.
func printPromises(out io.Writer, p trace.Probe) {
	given := check.ProviderPromises(p.Provider)
	desc := given.Provider.Min(given.Name)
	if p.Module != "" {
		desc = desc.Min(given.Module)
	}
	if p.Function != "" {
		desc = desc.Min(given.Function)
	}
	printAttributes(out, "Probe Description Attributes", desc)
	printAttributes(out, "Argument Attributes", given.Args)
}

func printAttributes(out io.Writer, title string, a check.Attributes) {
	fmt.Fprintf(out, "\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n", title, a.Name, a.Data, a.Class)
}

// printProbeDesc prints the attributes of one description and the types of its
// arguments.
func printProbeDesc(out io.Writer, p *check.Program, cl *check.Clause, d *ast.ProbeDesc) {
	fmt.Fprintf(out, "\n%s\n", strings.Join([]string{d.Provider, d.Module, d.Function, d.Name}, ":"))
	desc, args := p.Promises(d)
	printAttributes(out, "Probe Description Attributes", desc)
	printAttributes(out, "Argument Attributes", args)
	fmt.Fprintf(out, "\n\tArgument Types\n")
	if len(cl.Args) == 0 {
		fmt.Fprintf(out, "\t\tNone\n")
	}
	for i, a := range cl.Args {
		fmt.Fprintf(out, "\t\targs[%d]: %s\n", i, a.TypeName())
	}
	fmt.Fprintln(out)
}
