package check

import (
	"maps"
	"slices"
	"strings"

	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Library lists what the library inside declares, by name: inlines, types, and
// the members that its translators know, as type.member. Why says why a name
// cannot be had on the machine that env tells of.
func Library(env Env) []Known {
	f := token.NewFile("library", "")
	tree, _ := parser.Parse(f)
	c := newChecker(f, tree, env, Options{EmptyOK: true})
	var list []Known
	for _, name := range lib.Own().Names(lib.Inline) {
		it := c.fromLibrary(name, lib.Inline)
		k := Known{Name: name, Detail: "inline", Why: c.broken[it]}
		if in := c.inlines[name]; in != nil && k.Why == "" {
			k.Detail = in.typ.String()
		}
		list = append(list, k)
	}
	for _, name := range lib.Own().Names(lib.Type) {
		it := c.fromLibrary(name, lib.Type)
		k := Known{Name: name, Detail: "type", Why: c.broken[it]}
		if t := c.typedefs[name]; t != nil && k.Why == "" {
			k.Detail = types.Resolve(t).String()
			c.needTranslators(t)
		}
		list = append(list, k)
	}
	for i := 0; i < len(c.translators); i++ { // what a member needs may be another one
		tr := c.translators[i]
		s := types.Resolve(tr.out).(*types.Struct)
		for _, name := range c.order(tr) {
			field, _ := s.Member(name)
			list = append(list, Known{Name: tr.out.String() + "." + name, Detail: field.Type.String() + " from " + tr.in.typ.String()})
		}
		for _, name := range slices.Sorted(maps.Keys(tr.broken)) {
			if tr.members[name] == nil {
				list = append(list, Known{Name: tr.out.String() + "." + name, Detail: "from " + tr.in.typ.String(), Why: tr.broken[name]})
			}
		}
	}
	for _, name := range lib.Own().TranslatorNames() {
		for _, it := range lib.Own().Translators(name) {
			c.load(it)
			if why := c.broken[it]; why != "" {
				list = append(list, Known{Name: "translator " + name, Why: why})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Known) int { return strings.Compare(a.Name, b.Name) })
	return list
}
