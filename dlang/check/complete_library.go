package check

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/types"
)

// inlines lists the inlines of the script and of the library, and the types that
// the library declares.
func (k *completer) inlines(c *checker) []Completion {
	var list []Completion
	for name, in := range c.inlines {
		if in.item == nil {
			list = append(list, Completion{name, in.detail(), CompleteVariable})
		}
	}
	if c.opts.NoLibraries || k.word == "" {
		return list // hundreds of names help nobody who has not begun one
	}
	for _, name := range lib.Own().Names(lib.Inline) {
		if own := c.inlines[name]; strings.HasPrefix(name, k.word) && (own == nil || own.item != nil) {
			list = append(list, Completion{name, inlineDetail(lib.Own().Lookup(name, lib.Inline)), CompleteVariable})
		}
	}
	for _, name := range lib.Own().Names(lib.Type) {
		if strings.HasPrefix(name, k.word) {
			list = append(list, Completion{name, "type, " + lib.Own().Lookup(name, lib.Type).File, CompleteType})
		}
	}
	return list
}

// detail is the type of an inline, with its parameters.
func (in *inline) detail() string {
	s := "inline " + in.typ.String()
	for i, p := range in.params {
		sep := ", "
		if i == 0 {
			sep = " ["
		}
		s += sep + p.typ.String() + " " + p.name
	}
	if len(in.params) > 0 {
		s += "]"
	}
	return s
}

// inlineDetail is how the library declares an inline, without its name and, unless
// that is short, its value.
func inlineDetail(it *lib.Item) string {
	text := strings.Join(strings.Fields(strings.TrimSuffix(it.Text, ";")), " ")
	before, value, _ := strings.Cut(text, " = ")
	if len(value) < 16 {
		return before + " = " + value
	}
	return before
}

// selectable returns the members of s that x can select: all of them, or if x
// is translated those that its translator knows.
func (c *checker) selectable(x ast.Expr, s *types.Struct) []types.Field {
	xl := ast.Translation(x)
	if xl == nil {
		return allMembers(s)
	}
	tr := c.xlations[xl].translator
	if tr == nil {
		return nil
	}
	var list []types.Field
	for _, f := range allMembers(s) {
		if c.want(tr, f.Name); tr.members[f.Name] != nil {
			list = append(list, f)
		}
	}
	return list
}
