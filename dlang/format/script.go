package format

import (
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// Script returns the text of f as it should be. If the list has failed there is none: of a
// script with mistakes nobody can tell what is meant, and of one with a control line
// where none can stay nobody can tell where it belongs.
func Script(f *token.File) (string, diag.List) {
	tree, list := parser.Parse(f)
	if list.Failed() {
		return "", list
	}
	out := Source(f, tree)
	if at, moved := Moved(f, out); moved {
		list.Add(at, diag.Syntax, "this line stands in the middle of an action and could not stay there").
			Suggest("put it between actions")
		return "", list
	}
	return out, nil
}
