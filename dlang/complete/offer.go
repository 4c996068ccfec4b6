package complete

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/option"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

func (k *completer) aggregations() []Completion {
	var list []Completion
	for _, a := range k.sketch().Aggs {
		detail := a.Func + "()"
		if a.Func == "" {
			detail = "nothing fills it"
		}
		list = append(list, Completion{a.Name, detail, Aggregation})
	}
	return list
}

func macros() []Completion {
	var list []Completion
	for _, m := range check.Macros() {
		list = append(list, Completion{m.Name, m.Detail, Variable})
	}
	return list
}

// tags lists the structs, unions or enums of the script.
func (k *completer) tags(kind string) []Completion {
	var list []Completion
	for _, tag := range k.sketch().Tags(kind) {
		list = append(list, Completion{tag, kind + " " + tag, Type})
	}
	return list
}

// names lists everything that an expression may begin with.
func (k *completer) names() []Completion {
	var list []Completion
	for _, b := range check.Builtins() {
		if b.Why == "" {
			list = append(list, Completion{b.Name, b.Detail, Variable})
		}
	}
	for _, f := range check.FunctionList() {
		if f.Why == "" {
			list = append(list, Completion{f.Name, f.Detail, Function})
		}
	}
	draft := k.sketch()
	for _, v := range draft.Vars {
		if v.Scope == ast.Global && v.Name != k.word {
			list = append(list, Completion{v.Name, varDetail(v), Variable})
		}
	}
	list = append(list, k.locals(draft)...)
	list = append(list, k.inlines(draft)...)
	for name, e := range draft.Enums() {
		list = append(list, Completion{name, e.Type.String(), Variable})
	}
	for name := range draft.Typedefs() {
		list = append(list, Completion{name, "type of the script", Type})
	}
	for name, t := range check.Typedefs() {
		list = append(list, Completion{name, types.Resolve(t).String(), Type})
	}
	for _, w := range []string{"break", "char", "continue", "do", "else", "enum", "for", "if", "int", "long", "offsetof",
		"return", "self", "short", "signed", "sizeof", "string", "stringof", "struct", "this", "union", "unsigned", "void", "while"} {
		list = append(list, Completion{w, "", Keyword})
	}
	return list
}

// locals lists the functions of the script, and the variables of the blocks and
// the function that the cursor stands in.
func (k *completer) locals(draft *check.Draft) []Completion {
	var list []Completion
	for _, f := range draft.Funcs {
		list = append(list, Completion{f.Name, f.Proto(), Function})
	}
	at := token.Pos(len(k.src) + 1)
	ast.Walk(k.script, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Clause, *ast.Block, *ast.For:
			return n.Span().From < at && at <= n.Span().To
		case *ast.FuncItem:
			inside := n.From < at && at <= n.To
			if f := draft.Func(n.Decl.Names[0].Name.Text); inside && f != nil {
				for _, p := range f.Params {
					list = append(list, Completion{p.Name, varDetail(p), Variable})
				}
			}
			return inside
		case *ast.DeclStmt:
			for _, d := range n.Decl.Names {
				if v := draft.Locals[d]; v != nil && n.To <= at && v.Name != k.word {
					list = append(list, Completion{v.Name, varDetail(v), Variable})
				}
			}
			return false
		}
		return true
	})
	return list
}

func varDetail(v *check.Var) string {
	s := v.Type.String()
	for i, key := range v.Keys {
		sep := ", "
		if i == 0 {
			sep = " ["
		}
		s += sep + key.String()
	}
	if v.Keys != nil {
		s += "]"
	}
	return s
}

// control completes a control line.
func (k *completer) control(t token.Token) (from int, list []Completion) {
	line := k.src[t.Span.From.Offset():]
	from = len(k.src) - len(line) + strings.LastIndexAny(line, " \t=#") + 1
	k.word = k.src[from:]
	words := strings.Fields(line[:len(line)-len(k.word)])
	switch {
	case strings.HasSuffix(line[:len(line)-len(k.word)], "=") && len(words) > 0:
		return from, k.pick(optionWords(strings.TrimSuffix(words[len(words)-1], "=")))
	case len(words) == 3 && words[0] == "#pragma" && words[1] == "D" && words[2] == "option":
		for _, name := range option.Names() {
			if o := option.Find(name); o.Time != option.CommandLine {
				list = append(list, Completion{name, o.Help, Option})
			}
		}
	case len(words) == 2 && words[0] == "#pragma" && words[1] == "D":
		for _, w := range []string{"attributes", "binding", "depends_on", "error", "line", "option"} {
			list = append(list, Completion{w, "", Keyword})
		}
	case len(words) == 1 && words[0] == "#pragma":
		list = append(list, Completion{"D", "", Keyword})
	case len(words) == 1 && words[0] == "#":
		list = append(list, Completion{"pragma", "", Keyword})
	}
	return from, k.pick(list)
}

// optionWords lists the values that an option takes, if they are words.
func optionWords(name string) []Completion {
	o := option.Find(name)
	if o == nil {
		return nil
	}
	var list []Completion
	for _, w := range o.Words {
		list = append(list, Completion{w, o.Help, Option})
	}
	return list
}
