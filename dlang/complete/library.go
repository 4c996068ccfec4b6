package complete

import (
	"strings"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lib"
)

// inlines lists the inlines of the script and of the library, and the types that
// the library declares.
func (k *completer) inlines(draft *check.Draft) []Completion {
	var list []Completion
	used := draft.Inlines()
	for name, detail := range used {
		if detail != "" {
			list = append(list, Completion{name, detail, Variable})
		}
	}
	if k.word == "" {
		return list // hundreds of names help nobody who has not begun one
	}
	for _, name := range lib.Own().Names(lib.Inline) {
		if strings.HasPrefix(name, k.word) && used[name] == "" {
			list = append(list, Completion{name, inlineDetail(lib.Own().Lookup(name, lib.Inline)), Variable})
		}
	}
	for _, name := range lib.Own().Names(lib.Type) {
		if strings.HasPrefix(name, k.word) {
			list = append(list, Completion{name, "type, " + lib.Own().Lookup(name, lib.Type).File, Type})
		}
	}
	return list
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
