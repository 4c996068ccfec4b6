package format

import (
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// Text formats a script that was read from a file of that name. One with mistakes is left
// alone, since nobody can tell what is meant there: the list says what they are, with places
// in f.
func Text(name, text string) (out string, f *token.File, list diag.List) {
	f = cpp.NewFile(name, text)
	tree, list := parser.Parse(f)
	if list.Failed() {
		return text, f, list
	}
	out = Source(f, tree)
	if at, moved := Moved(f, out); moved {
		list = diag.List{}
		list.Add(at, diag.Syntax, "this line stands in the middle of an action and could not stay there").
			Suggest("put it between actions")
		return text, f, list
	}
	return out, f, nil
}
