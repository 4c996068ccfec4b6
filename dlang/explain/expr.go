package explain

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// expr tells what an expression that is a word means.
func (e explainer) expr(x ast.Expr) (Word, bool) {
	at := x.Span()
	switch x := x.(type) {
	case *ast.Ident:
		return e.name(at, x, x.Name)
	case *ast.Var:
		if v, ok := e.p.Refs[x].(*check.Var); ok {
			return e.variable(at, v), true
		}
	case *ast.KSym:
		if s, ok := e.p.Refs[x].(*check.KernelSym); ok {
			what := "variable"
			if s.Code {
				what = "function"
			}
			return Word{At: at, Decl: named(s.Type, "`"+s.Name), Help: what + " of the kernel, module " + s.Module}, true
		}
	case *ast.AggRef:
		place := token.Span{From: at.From, To: at.From + 1 + token.Pos(len(x.Name))}
		if a, ok := e.p.Refs[x].(*check.Agg); ok {
			return Word{At: place, Decl: aggregation(a), Help: e.aggHelp(a)}, true
		}
	case *ast.Macro:
		w := Word{At: at, Decl: named(e.p.Types[x], e.p.File.Text(at)), Help: "argument of the command line"}
		for _, m := range check.Macros() {
			if m.Name == x.Name {
				w.Help = m.Detail
			}
		}
		return w, true
	case *ast.Int, *ast.Char:
		if v, ok := e.p.Consts[x]; ok {
			return Word{At: at, Decl: named(e.p.Types[x], fmt.Sprintf("%d, %#x", v, uint64(v)))}, true
		}
	}
	return Word{}, false
}

// name tells of a plain name.
func (e explainer) name(at token.Span, x ast.Expr, name string) (Word, bool) {
	switch r := e.p.Refs[x].(type) {
	case *check.Var:
		return e.variable(at, r), true
	case *check.Builtin:
		return e.builtin(at, name, r.Type)
	case *check.EnumConst:
		return Word{At: at, Decl: fmt.Sprintf("%s = %d", r.Name, r.Value), Help: "name of " + r.Type.String()}, true
	case *check.ArgRef:
		return e.builtin(at, name, nil)
	}
	if in := e.inline(name); in != "" {
		w := Word{At: at, Decl: in, Help: "inline of this script"}
		if v, ok := e.p.Consts[x]; ok {
			w.Help += fmt.Sprintf(", here %d", v)
		}
		return w, true
	}
	if w, ok := fromLibrary(at, name, lib.Inline, lib.Variable); ok {
		if t := e.p.Types[x]; t != nil && !types.IsInvalid(t) {
			w.Decl = named(t, name) + "\n" + w.Decl
		}
		return w, true
	}
	return e.builtin(at, name, e.p.Types[x])
}

// inline returns how the script declares an inline, or "".
func (e explainer) inline(name string) string {
	for _, it := range e.p.Script.Items {
		if in, ok := it.(*ast.Inline); ok && in.Name != nil && in.Name.Text == name {
			return strings.Join(strings.Fields(e.p.File.Text(in.Span())), " ")
		}
	}
	return ""
}

// builtin tells of a variable of D. t is its type here, nil if that is not known.
func (e explainer) builtin(at token.Span, name string, t types.Type) (Word, bool) {
	for _, b := range check.Builtins() {
		if b.Name != name {
			continue
		}
		decl := b.Detail + " " + name
		if strings.HasSuffix(b.Detail, "*") {
			decl = b.Detail + name
		}
		if t != nil && !types.IsInvalid(t) {
			decl = named(t, name)
		}
		if name == "args" {
			decl = "args[]" + e.arguments(at)
		}
		return Word{At: at, Decl: decl, Help: known(b)}, true
	}
	return Word{}, false
}

// arguments lists the typed arguments in the clause around a place.
func (e explainer) arguments(at token.Span) string {
	var b strings.Builder
	for _, c := range e.p.Clauses {
		if s := c.AST.Span(); at.From < s.From || s.To < at.From {
			continue
		}
		for i, a := range c.Args {
			fmt.Fprintf(&b, "\nargs[%d]: %s", i, a.TypeName())
			if a.Name != "" {
				b.WriteString(" " + a.Name)
			}
		}
		break
	}
	return b.String()
}

// variable tells of a variable of the script.
func (e explainer) variable(at token.Span, v *check.Var) Word {
	name := v.Name
	what := "variable of this script"
	switch v.Scope {
	case ast.Self:
		name, what = "self->"+name, "variable of each thread"
	case ast.This:
		name, what = "this->"+name, "variable of each firing"
	case ast.Local:
		what = "variable of this block"
	}
	if v.Keys != nil {
		var keys []string
		for _, k := range v.Keys {
			keys = append(keys, k.String())
		}
		name += "[" + strings.Join(keys, ", ") + "]"
	}
	how := "first assigned"
	if v.Declared {
		how = "declared"
	}
	return Word{At: at, Decl: named(v.Type, name), Help: what + ", " + how + e.inLine(v.First)}
}

// inLine says in which line a place is.
func (e explainer) inLine(at token.Span) string {
	if !at.IsValid() {
		return " elsewhere"
	}
	name, line, _ := e.p.File.Place(at.From)
	if name != e.p.File.Name {
		return fmt.Sprintf(" in %s, line %d", name, line)
	}
	return fmt.Sprintf(" in line %d", line)
}

// aggregation spells an aggregation: @lat[string] = quantize().
func aggregation(a *check.Agg) string {
	s := "@" + a.Name
	if len(a.Keys) > 0 {
		var keys []string
		for _, k := range a.Keys {
			switch {
			case k.Kind == check.KeyStack:
				keys = append(keys, "stack()")
			case k.Kind == check.KeyUstack:
				keys = append(keys, "ustack()")
			default:
				keys = append(keys, k.Type.String())
			}
		}
		s += "[" + strings.Join(keys, ", ") + "]"
	}
	if a.Func == "" {
		return s
	}
	return s + " = " + a.Func + "()"
}

// aggHelp says what the function of an aggregation does.
func (e explainer) aggHelp(a *check.Agg) string {
	if a.Func == "" {
		return "nothing fills this aggregation"
	}
	for _, k := range check.FunctionList() {
		if k.Name == a.Func {
			return "aggregation: " + k.Help + "; settled" + e.inLine(a.First)
		}
	}
	return "aggregation"
}

// member tells of a member of a struct.
func (e explainer) member(m *ast.Member) (Word, bool) {
	w := Word{At: m.Name.Span()}
	of := types.Resolve(types.Decay(e.p.Types[e.p.Means.Unparen(m.X)]))
	if t := e.p.Types[m.X]; t != nil {
		of = types.Resolve(types.Decay(t))
	}
	if p, ok := of.(*types.Pointer); ok {
		of = types.Resolve(p.Elem)
	}
	f, ok := e.p.Members[m]
	if !ok {
		t := e.p.Types[m]
		if t == nil {
			t = e.p.Types[e.p.Means.Unparen(m)] // what the translator says
		}
		if t == nil || types.IsInvalid(t) {
			return Word{}, false
		}
		w.Decl, w.Help = named(t, m.Name.Text), "member that a translator makes"
		return w, true
	}
	w.Decl, w.Help = named(f.Type, m.Name.Text), "member"
	if s, ok := of.(*types.Struct); ok {
		w.Help = "member of " + s.String()
	}
	if f.Bits > 0 {
		w.Decl += fmt.Sprintf(" : %d", f.Bits)
	} else {
		w.Help += fmt.Sprintf(", %d bytes at offset %d", f.Type.Size(), f.Off/8)
	}
	return w, true
}

// namedType tells of a typedef.
func (e explainer) namedType(n *ast.Named) (Word, bool) {
	at := n.Span()
	for _, it := range e.p.Script.Items {
		d, ok := it.(*ast.DeclItem)
		if !ok || d.Decl.Storage != "typedef" || n.Module != "" {
			continue
		}
		for _, x := range d.Decl.Names {
			if x.Name != nil && x.Name.Text == n.Name {
				return Word{At: at, Decl: strings.Join(strings.Fields(e.p.File.Text(d.Span())), " "), Help: "type of this script"}, true
			}
		}
	}
	if t := check.OwnType(n.Name); t != nil && n.Module == "" {
		return Word{At: at, Decl: "typedef " + types.Resolve(t).String() + " " + n.Name, Help: fmt.Sprintf("type of D, %d bytes", t.Size())}, true
	}
	if w, ok := fromLibrary(at, n.Name, lib.Type); ok && n.Module == "" {
		return w, true
	}
	t, err := e.env.Type("typedef", n.Module, n.Name)
	if err != nil {
		return Word{}, false
	}
	if d, ok := t.(*types.Typedef); ok {
		return Word{At: at, Decl: "typedef " + named(d.Under, n.Name), Help: fmt.Sprintf("type of the kernel, %d bytes", t.Size())}, true
	}
	return Word{At: at, Decl: t.String(), Help: "type of the kernel"}, true
}

// tagged tells of a struct, union or enum.
func (e explainer) tagged(at token.Span, kind, module, tag string, defined bool) (Word, bool) {
	if tag == "" || defined {
		return Word{}, false
	}
	t, err := e.env.Type(kind, module, tag)
	if err != nil {
		return Word{}, false
	}
	w := Word{At: at, Decl: kind + " " + tag, Help: fmt.Sprintf("type of the kernel, %d bytes", t.Size())}
	if s, ok := t.(*types.Struct); ok {
		var b strings.Builder
		fields := s.Fields()
		for i, f := range fields {
			if i == mostLines {
				fmt.Fprintf(&b, "\n\t… %d more", len(fields)-i)
				break
			}
			fmt.Fprintf(&b, "\n\t%s;", named(f.Type, f.Name))
		}
		w.Decl += " {" + b.String() + "\n}"
	}
	return w, true
}
