// Package explain tells what a word of a script means: its type as D would declare it,
// and a sentence; and of the call that somebody is writing, what it takes.
//
// Word asks a checked script, and answers also for one with mistakes what was found out
// before them. CallAt asks the words alone, since a call that is being written is
// no call yet.
package explain

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/option"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A Word is a word of a script with its meaning.
type Word struct {
	At    token.Span
	Decl  string         // as D would declare it: int64_t self->ts; may be empty
	Help  string         // what it means, in a sentence without a full stop; may be empty
	Probe *ast.ProbeDesc // if the word is a probe description: the rest is for who knows probes
}

// At tells what the word at a place of a checked script means. env knows of types. Ok
// is false where there is nothing to tell.
func At(p *check.Program, env check.Env, at token.Pos) (w Word, ok bool) {
	e := explainer{p: p, env: env}
	for _, tree := range []*ast.Script{p.Chosen, p.Script} {
		if tree == nil {
			continue
		}
		for _, it := range tree.Items {
			if s := it.Span(); s.From <= at && at <= s.To {
				if w, ok := e.find(it, at); ok {
					return w, true
				}
			}
		}
	}
	return Word{}, false
}

// An explainer looks at one checked script.
type explainer struct {
	p   *check.Program
	env check.Env
}

// find tells of the innermost part of n at a place that has a meaning.
func (e explainer) find(n ast.Node, at token.Pos) (w Word, ok bool) {
	inside := func(n ast.Node) bool { return n.Span().From <= at && at <= n.Span().To }
	deeper := func(parts ...ast.Node) bool {
		for _, part := range parts {
			if !ok && inside(part) {
				w, ok = e.find(part, at)
			}
		}
		return ok
	}
	ast.Walk(n, func(m ast.Node) bool {
		if ok || !inside(m) {
			_, script := m.(*ast.Script)
			_, decl := m.(*ast.Declarator) // its type may stand before it
			return !ok && (script || decl)
		}
		switch m := m.(type) {
		case *ast.Member:
			if !deeper(m.X) && inside(m.Name) {
				w, ok = e.member(m)
			}
			return false
		case *ast.Index, *ast.Xlate, *ast.Unary:
			return true // their parts are what is asked for
		case *ast.AggRef:
			for _, k := range m.Keys {
				deeper(k)
			}
		}
		if !ok {
			w, ok = e.node(m, at)
		}
		return !ok
	})
	return w, ok
}

// node tells what one node means by itself.
func (e explainer) node(n ast.Node, at token.Pos) (Word, bool) {
	w := Word{At: n.Span()}
	switch n := n.(type) {
	case *ast.ProbeDesc:
		w.Probe = n
	case *ast.Pragma:
		return e.pragma(n, at)
	case *ast.AggAssign:
		if s := n.Fn.Span(); s.From <= at && at <= s.To {
			return function(n.Fn)
		}
		return Word{}, false
	case *ast.Call:
		if s := n.Fn.Span(); at < s.From || s.To < at {
			return Word{}, false
		}
		if c := e.p.Calls[n]; c != nil && c.User != nil {
			w.At, w.Decl, w.Help = n.Fn.Span(), c.User.Proto(), "function of this script"
			return w, true
		}
		return function(n.Fn)
	case *ast.Declarator:
		if v := e.p.Locals[n]; v != nil && n.Name != nil && n.Name.From <= at && at <= n.Name.To {
			w = e.variable(n.Name.Span(), v)
			return w, true
		}
		return e.declared(n, at)
	case *ast.Param:
		if n.Name == nil || at < n.Name.From || n.Name.To < at {
			return Word{}, false
		}
		w.At, w.Decl, w.Help = n.Name.Span(), strings.Join(strings.Fields(e.p.File.Text(n.Span())), " "), "parameter"
	case *ast.FuncItem:
		d := n.Decl.Names[0]
		if at < d.Name.From || d.Name.To < at {
			return Word{}, false
		}
		w.At, w.Decl, w.Help = d.Name.Span(), heading(e.p.File, n), "function of this script"
	case *ast.Inline:
		if n.Name == nil || at < n.Name.From || n.Name.To < at {
			return Word{}, false
		}
		w.At, w.Decl, w.Help = n.Name.Span(), strings.Join(strings.Fields(e.p.File.Text(n.Span())), " "), "inline of this script"
	case *ast.Named:
		return e.namedType(n)
	case *ast.Struct:
		return e.tagged(n.Span(), map[bool]string{false: "struct", true: "union"}[n.Union], n.Module, n.Tag, n.Defined)
	case *ast.Enum:
		return e.tagged(n.Span(), "enum", n.Module, n.Tag, n.Defined)
	case ast.Expr:
		return e.expr(n)
	default:
		return Word{}, false
	}
	return w, true
}

// declared tells of a variable that a declaration at the top level names.
func (e explainer) declared(n *ast.Declarator, at token.Pos) (Word, bool) {
	if n.Name == nil || at < n.Name.From || n.Name.To < at {
		return Word{}, false
	}
	for _, v := range e.p.Vars {
		if v.First == n.Name.Span() || v.First == n.Span() {
			return e.variable(n.Name.Span(), v), true
		}
	}
	return Word{}, false
}

// function tells of a function of D.
func function(n *ast.Name) (Word, bool) {
	for _, k := range check.FunctionList() {
		if k.Name == n.Text {
			return Word{At: n.Span(), Decl: k.Detail, Help: known(k)}, true
		}
	}
	return Word{}, false
}

// known is the meaning of a word of D.
func known(k check.Known) string {
	if k.Why != "" {
		return k.Help + "; cannot be had here: " + k.Why
	}
	return k.Help
}

// pragma tells of the option that a control line sets.
func (e explainer) pragma(n *ast.Pragma, at token.Pos) (Word, bool) {
	from := int(at - n.Span().From)
	text := n.Text
	if from > len(text) || !strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(text, "#"), " \t"), "pragma") {
		return Word{}, false
	}
	word := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' }
	to := from
	for from > 0 && word(text[from-1]) {
		from--
	}
	for to < len(text) && word(text[to]) {
		to++
	}
	o := option.Find(strings.ToLower(text[from:to]))
	if o == nil {
		return Word{}, false
	}
	place := token.Span{From: n.Span().From + token.Pos(from), To: n.Span().From + token.Pos(to)}
	return Word{At: place, Decl: "option " + o.Name, Help: o.Help}, true
}

// heading spells a function as its definition begins.
func heading(f *token.File, n *ast.FuncItem) string {
	to := n.Span().To
	if n.Body != nil {
		to = n.Body.Span().From
	}
	return strings.Join(strings.Fields(f.Text(token.Span{From: n.Decl.Span().From, To: to})), " ")
}

// named spells a variable of a type: struct file *f.
func named(t types.Type, name string) string {
	if t == nil || types.IsInvalid(t) {
		return name
	}
	s := t.String()
	if strings.HasSuffix(s, "*") {
		return s + name
	}
	return s + " " + name
}

// fromLibrary tells of a name that D's library declares.
func fromLibrary(at token.Span, name string, kinds ...lib.Kind) (Word, bool) {
	it := lib.Own().Lookup(name, kinds...)
	if it == nil {
		return Word{}, false
	}
	text := strings.TrimSpace(it.Text)
	if lines := strings.Split(text, "\n"); len(lines) > mostLines {
		text = strings.Join(lines[:mostLines], "\n") + "\n…"
	}
	return Word{At: at, Decl: text, Help: fmt.Sprintf("of D's library (%s, line %d)", it.File, it.Line)}, true
}

// mostLines is how much of a declaration of the library is shown.
const mostLines = 40
