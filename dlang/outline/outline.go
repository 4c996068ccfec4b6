// Package outline tells where the parts of a script stand, for whoever shows the script
// and need not know its grammar.
package outline

import (
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
