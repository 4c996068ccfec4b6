package check

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A Draft is what the checker makes of a script that is still being typed: as much as can be
// said of it, and nothing about what is wrong. What a constant ?: leaves out is in it too.
type Draft struct {
	*Program
	c *checker
}

// Sketch makes a draft of a script. Of the options the macros count.
func Sketch(f *token.File, s *ast.Script, env Env, opts Options) *Draft {
	c := newChecker(f, s, env, opts)
	c.bothArms = true
	c.script(s)
	return &Draft{c.prog, c}
}

// IsType returns what tells the parser which names are types, where nothing is declared.
func IsType(f *token.File, env Env, opts Options) func(module, name string) bool {
	return newChecker(f, &ast.Script{}, env, opts).isType
}

// Enums returns the constants of the enumerations that the script declares, by name.
func (d *Draft) Enums() map[string]*EnumConst { return d.c.enums }

// Typedefs returns the types that the script names.
func (d *Draft) Typedefs() map[string]types.Type { return d.c.typedefs }

// Func returns a function of the script; nil if there is none of the name.
func (d *Draft) Func(name string) *Func { return d.c.funcs[name] }

// Tags returns the tags of a kind that the script declares: struct, union or enum.
func (d *Draft) Tags(kind string) (list []string) {
	for key := range d.c.tags {
		if tag, ok := strings.CutPrefix(key, kind+" "); ok {
			list = append(list, tag)
		}
	}
	return list
}

// Inlines returns the inlines that the script declares, by name, each as it is declared but
// for its name and value; of those of the library that it uses, "".
func (d *Draft) Inlines() map[string]string {
	list := make(map[string]string, len(d.c.inlines))
	for name, in := range d.c.inlines {
		if list[name] = ""; in.item == nil {
			list[name] = in.detail()
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

// Members returns the members that x can select, those of anonymous members included: of a
// struct that it has or points to, or those that its translator knows.
func (d *Draft) Members(x ast.Expr) []types.Field {
	c := d.c
	t := types.Resolve(types.Decay(c.prog.Types[x]))
	xl := c.prog.Means.Translation(x)
	if xl != nil && c.xlations[xl].translator != nil {
		t = types.Resolve(c.xlations[xl].out)
	}
	if p, ok := t.(*types.Pointer); ok {
		t = types.Resolve(p.Elem)
	}
	s, ok := t.(*types.Struct)
	if ok && !s.Complete() {
		t, _ = c.completed(s)
		s, ok = t.(*types.Struct)
	}
	if !ok {
		return nil
	}
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

// allMembers lists the named members of s, those of anonymous members included.
func allMembers(s *types.Struct) []types.Field {
	var list []types.Field
	for _, f := range s.Fields() {
		if f.Name != "" {
			list = append(list, f)
			continue
		}
		if inner, ok := types.Resolve(f.Type).(*types.Struct); ok {
			list = append(list, allMembers(inner)...)
		}
	}
	return list
}
