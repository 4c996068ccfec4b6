package check

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
)

// syscall::open*:entry { trace(copyinstr(arg0)); } is the most common of all scripts. On Linux
// most files are opened by openat(), whose first argument is a descriptor; copyinstr() of that
// is a fault each time.

// noAddress warns where a text is copied from an argument that is a number at some probe of
// the clause.
func (c *checker) noAddress(p *pending) {
	if p.fn.ID != function.Copyinstr && p.fn.ID != function.Copyin || c.library != nil || c.clause == nil {
		return
	}
	id, ok := c.prog.Means.Unparen(p.ast.Args[0]).(*ast.Ident)
	if !ok || !strings.HasPrefix(id.Name, "arg") || len(id.Name) != len("arg0") {
		return
	}
	slot := int(id.Name[len(id.Name)-1] - '0')
	for i := range c.clause.Probes {
		for _, n := range c.clause.Probes[i].Numbers {
			if n.Slot == slot && !c.comparesProbe(c.clause.AST) {
				c.warn(p.ast, diag.Portable, "%s faults at %s: %s is a number there, and %s the text",
					c.text(p.ast), n.where(), argCalled(n.Slot, n.Name), argCalled(n.Text, n.Path))
				return
			}
		}
	}
}

// where names the probes.
func (n *Number) where() string {
	s := strings.Join(n.Probes, ", ")
	if n.More > 0 {
		s += fmt.Sprintf(" and %d more", n.More)
	}
	return s
}

// argCalled spells a raw argument with its name: arg0 (dfd).
func argCalled(slot int, name string) string {
	if name == "" {
		return fmt.Sprintf("arg%d", slot)
	}
	return fmt.Sprintf("arg%d (%s)", slot, name)
}

// comparesProbe reports whether a clause asks which probe has fired, and so may know what its
// arguments are.
func (c *checker) comparesProbe(clause *ast.Clause) (found bool) {
	c.prog.Means.Walk(clause, func(n ast.Node) bool {
		two, ok := n.(*ast.Binary)
		found = found || ok && (two.Op == token.Eq || two.Op == token.Ne) && (c.isProbeName(two.X) || c.isProbeName(two.Y))
		return !found
	})
	return found
}

func (c *checker) isProbeName(x ast.Expr) bool {
	id, ok := c.prog.Means.Unparen(x).(*ast.Ident)
	return ok && (id.Name == "probefunc" || id.Name == "probename")
}
