package check

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/option"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

func (k *completer) aggregations() []Completion {
	c := newChecker(k.file, k.script, k.env, Options{Macros: k.macros})
	c.bothArms = true
	c.script(k.script)
	var list []Completion
	for _, a := range c.prog.Aggs {
		detail := a.Func + "()"
		if a.Func == "" {
			detail = "nothing fills it"
		}
		list = append(list, Completion{a.Name, detail, CompleteAggregation})
	}
	return list
}

func macros() []Completion {
	var list []Completion
	for _, m := range Macros() {
		list = append(list, Completion{m.Name, m.Detail, CompleteVariable})
	}
	return list
}

// Macros lists the macro arguments that have a name.
func Macros() []Known {
	var list []Known
	for _, m := range [][2]string{
		{"egid", "effective group of dscope"}, {"euid", "effective user of dscope"}, {"gid", "group of dscope"},
		{"pgid", "process group of dscope"}, {"pid", "process of dscope"}, {"ppid", "parent of dscope"},
		{"projid", "project of dscope"}, {"sid", "session of dscope"}, {"target", "the process of -p or -c"},
		{"taskid", "task of dscope"}, {"uid", "user of dscope"},
	} {
		list = append(list, Known{Name: m[0], Detail: m[1]})
	}
	return list
}

// tags lists the structs, unions or enums of the script.
func (k *completer) tags(kind string) []Completion {
	c := newChecker(k.file, k.script, k.env, Options{})
	c.script(k.script)
	var list []Completion
	for key := range c.tags {
		if tag, ok := strings.CutPrefix(key, kind+" "); ok {
			list = append(list, Completion{tag, key, CompleteType})
		}
	}
	return list
}

// names lists everything that an expression may begin with.
func (k *completer) names() []Completion {
	var list []Completion
	for _, b := range Builtins() {
		if b.Why == "" {
			list = append(list, Completion{b.Name, b.Detail, CompleteVariable})
		}
	}
	for _, f := range FunctionList() {
		if f.Why == "" {
			list = append(list, Completion{f.Name, f.Detail, CompleteFunction})
		}
	}
	c := newChecker(k.file, k.script, k.env, Options{Macros: k.macros})
	c.bothArms = true
	c.script(k.script)
	for _, v := range c.prog.Vars {
		if v.Scope == ast.Global && v.Name != k.word {
			list = append(list, Completion{v.Name, varDetail(v), CompleteVariable})
		}
	}
	list = append(list, k.locals(c)...)
	list = append(list, k.inlines(c)...)
	for name, e := range c.enums {
		list = append(list, Completion{name, e.Type.String(), CompleteVariable})
	}
	for name := range c.typedefs {
		list = append(list, Completion{name, "type of the script", CompleteType})
	}
	for name, t := range typedefTable {
		list = append(list, Completion{name, types.Resolve(t).String(), CompleteType})
	}
	for _, w := range []string{"break", "char", "continue", "do", "else", "enum", "for", "if", "int", "long", "offsetof",
		"return", "self", "short", "signed", "sizeof", "string", "stringof", "struct", "this", "union", "unsigned", "void", "while"} {
		list = append(list, Completion{w, "", CompleteKeyword})
	}
	return list
}

// locals lists the functions of the script, and the variables of the blocks and
// the function that the cursor stands in.
func (k *completer) locals(c *checker) []Completion {
	var list []Completion
	for _, f := range c.prog.Funcs {
		list = append(list, Completion{f.Name, f.Proto(), CompleteFunction})
	}
	at := token.Pos(len(k.src) + 1)
	ast.Walk(k.script, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Clause, *ast.Block, *ast.For:
			return n.Span().From < at && at <= n.Span().To
		case *ast.FuncItem:
			inside := n.From < at && at <= n.To
			if f := c.funcs[n.Decl.Names[0].Name.Text]; inside && f != nil {
				for _, p := range f.Params {
					list = append(list, Completion{p.Name, varDetail(p), CompleteVariable})
				}
			}
			return inside
		case *ast.DeclStmt:
			for _, d := range n.Decl.Names {
				if v := c.prog.Locals[d]; v != nil && n.To <= at && v.Name != k.word {
					list = append(list, Completion{v.Name, varDetail(v), CompleteVariable})
				}
			}
			return false
		}
		return true
	})
	return list
}

func varDetail(v *Var) string {
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
				list = append(list, Completion{name, o.Help, CompleteOption})
			}
		}
	case len(words) == 2 && words[0] == "#pragma" && words[1] == "D":
		for _, w := range []string{"attributes", "binding", "depends_on", "error", "line", "option"} {
			list = append(list, Completion{w, "", CompleteKeyword})
		}
	case len(words) == 1 && words[0] == "#pragma":
		list = append(list, Completion{"D", "", CompleteKeyword})
	case len(words) == 1 && words[0] == "#":
		list = append(list, Completion{"pragma", "", CompleteKeyword})
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
		list = append(list, Completion{w, o.Help, CompleteOption})
	}
	return list
}
