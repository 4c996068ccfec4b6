// Package outline tells where the parts of a script stand, for whoever shows the script
// and need not know its grammar.
package outline

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// Clauses returns the lines on which the clauses of a script begin, counted from 0, in
// their order. A script that is half written has those that the parser makes out.
func Clauses(script string) (lines []int) {
	f := token.NewFile("script", script)
	tree, _ := parser.Parse(f)
	for _, it := range tree.Items {
		if c, ok := it.(*ast.Clause); ok {
			_, line, _ := f.Place(c.Span().From)
			lines = append(lines, line-1)
		}
	}
	return lines
}

// Heads returns the probes of each clause of a script, in their order, as they are written.
func Heads(script string) (heads []string) {
	f := token.NewFile("script", script)
	tree, _ := parser.Parse(f)
	for _, it := range tree.Items {
		if c, ok := it.(*ast.Clause); ok {
			head := ""
			if n := len(c.Probes); n > 0 {
				head = f.Src[c.Probes[0].Span().From-1 : c.Probes[n-1].Span().To-1]
			}
			heads = append(heads, strings.Join(strings.Fields(head), " "))
		}
	}
	return heads
}
