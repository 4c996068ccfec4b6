package refer

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// A key tells symbols apart that are known in all of the script.
type key struct {
	space Kind // Name for all plain names, which share one space, but for functions
	name  string
}

// A walker goes through the script in the order of the text.
type walker struct {
	file  *token.File
	known map[key]*Symbol
	all   []*Symbol
	local []*Symbol // around here, the innermost last
}

// symbol returns the symbol of a name that is no local one.
func (w *walker) symbol(space Kind, name string) *Symbol {
	k := key{space, name}
	s := w.known[k]
	if s == nil {
		s = &Symbol{Name: name, Kind: space}
		w.known[k] = s
		w.all = append(w.all, s)
	}
	return s
}

// define notes where a symbol is declared; the first declaration counts.
func (s *Symbol) define(kind Kind, at token.Span) {
	if !s.declared {
		s.Kind, s.Def, s.declared = kind, at, true
	}
	s.use(at)
}

// assign notes an assignment, which declares what nothing else does.
func (s *Symbol) assign(at token.Span) {
	if !s.Def.IsValid() {
		s.Def = at
		if s.Kind == Name {
			s.Kind = Variable
		}
	}
	s.use(at)
}

func (s *Symbol) use(at token.Span) { s.Uses = append(s.Uses, at) }

// declare notes what stands at the top level, which may be used in any place below and,
// while a script is written, above too.
func (w *walker) declare(s *ast.Script) {
	for _, it := range s.Items {
		switch it := it.(type) {
		case *ast.FuncItem:
			if n := it.Decl.Names[0].Name; n != nil {
				w.symbol(Function, n.Text).define(Function, n.Span())
			}
		case *ast.Inline:
			if it.Name != nil {
				w.symbol(Name, it.Name.Text).define(Inline, it.Name.Span())
			}
		case *ast.DeclItem:
			w.declaration(it.Decl)
		}
	}
}

// declaration notes the names of a declaration at the top level.
func (w *walker) declaration(d *ast.Decl) {
	for _, n := range d.Names {
		if n.Name == nil || n.KSym {
			continue
		}
		at := n.Name.Span()
		switch d.Storage {
		case "typedef":
			w.symbol(Name, n.Name.Text).define(Type, at)
		case "self":
			w.symbol(Thread, n.Name.Text).define(Thread, at)
		case "this":
			w.symbol(Firing, n.Name.Text).define(Firing, at)
		default:
			w.symbol(Name, n.Name.Text).define(Variable, at)
		}
	}
}

// item walks one item.
func (w *walker) item(it ast.Item) {
	switch it := it.(type) {
	case *ast.FuncItem:
		w.in(it.Span(), func() {
			w.visit(it.Decl.Base)
			if f, ok := it.Decl.Names[0].Type.(*ast.Func); ok {
				w.params(f.Params)
			}
			w.visit(it.Body)
		})
	case *ast.Inline:
		w.in(it.Span(), func() {
			if a, ok := it.Type.(*ast.Assoc); ok {
				w.visit(a.Elem)
				w.params(a.Keys)
			} else {
				w.visit(it.Type)
			}
			w.visit(it.Value)
		})
	case *ast.Translator:
		w.in(it.Span(), func() {
			w.visit(it.Out)
			w.visit(it.In)
			w.bind(it.Name)
			for _, m := range it.Members {
				w.visit(m.Value)
			}
		})
	case *ast.DeclItem:
		w.types(it.Decl)
	case *ast.Provider, *ast.Pragma:
	default:
		w.visit(it)
	}
}

// in walks a part of the script whose local names end with it.
func (w *walker) in(at token.Span, walk func()) {
	outer := len(w.local)
	walk()
	for _, s := range w.local[outer:] {
		s.scope = token.Span{From: s.Def.From, To: at.To}
	}
	w.local = w.local[:outer]
}

// params declares parameters.
func (w *walker) params(list []*ast.Param) {
	for _, p := range list {
		w.visit(p.Type)
		w.bind(p.Name)
	}
}

// bind declares a local name.
func (w *walker) bind(n *ast.Name) {
	if n == nil || n.Text == "" {
		return
	}
	s := &Symbol{Name: n.Text}
	s.define(Local, n.Span())
	w.local, w.all = append(w.local, s), append(w.all, s)
}

// plain returns what a plain name means here.
func (w *walker) plain(name string, outer bool) *Symbol {
	for i := len(w.local) - 1; i >= 0 && !outer; i-- {
		if w.local[i].Name == name {
			return w.local[i]
		}
	}
	return w.symbol(Name, name)
}

// types walks the types and the lengths of a declaration, but not its names.
func (w *walker) types(d *ast.Decl) {
	w.visit(d.Base)
	for _, n := range d.Names {
		w.visit(n.Type)
		w.visit(n.Bits)
	}
}

// visit walks what may hold uses. nil holds none.
func (w *walker) visit(n ast.Node) {
	if n == nil {
		return
	}
	ast.Walk(n, w.node)
}

// node notes one node and reports whether to walk its children.
func (w *walker) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Block:
		w.in(n.Span(), func() {
			for _, s := range n.Stmts {
				w.visit(s)
			}
		})
		return false
	case *ast.For:
		w.in(n.Span(), func() {
			for _, part := range []ast.Node{orNil(n.Init), orNil(n.Cond), orNil(n.Step), orNil(n.Max), orNil(n.Body)} {
				w.visit(part)
			}
		})
		return false
	case *ast.DeclStmt:
		w.visit(n.Decl.Base)
		for _, d := range n.Decl.Names {
			w.visit(d.Type)
			w.visit(orNil(d.Init))
			w.bind(d.Name)
		}
		return false
	case *ast.Assign:
		w.assigned(n.X)
		w.visit(n.Y)
		return false
	case *ast.Postfix:
		w.assigned(n.X)
		return false
	case *ast.Unary:
		if n.Op == token.Inc || n.Op == token.Dec {
			w.assigned(n.X)
			return false
		}
	case *ast.AggAssign:
		w.symbol(Aggregation, n.Agg.Name).assign(w.aggName(n.Agg))
		for _, k := range n.Agg.Keys {
			w.visit(k)
		}
		w.symbol(Function, n.Fn.Text).use(n.Fn.Span())
		for _, a := range n.Args {
			w.visit(a)
		}
		return false
	case *ast.Call:
		w.symbol(Function, n.Fn.Text).use(n.Fn.Span())
		for _, a := range n.Args {
			w.visit(a)
		}
		return false
	default:
		return w.name(n)
	}
	return true
}

// name notes a node that is a name.
func (w *walker) name(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		w.plain(n.Name, n.Outer).use(n.Span())
		return false
	case *ast.Var:
		w.symbol(scopeKind(n.Scope), n.Name).use(lastOf(n.Span(), n.Name))
	case *ast.AggRef:
		w.symbol(Aggregation, n.Name).use(w.aggName(n))
	case *ast.Macro:
		w.symbol(Macro, n.Name).use(lastOf(n.Span(), n.Name))
		return false
	case *ast.KSym:
		w.symbol(Kernel, n.Name).use(lastOf(n.Span(), n.Name))
	case *ast.Named:
		if n.Module == "" {
			w.symbol(Name, n.Name).use(w.word(n.Span(), n.Name))
		}
	case *ast.Struct:
		w.tag(n.Span(), n.Module, n.Tag, n.Defined)
		for _, d := range n.Members {
			w.types(d)
		}
		return false
	case *ast.Enum:
		w.tag(n.Span(), n.Module, n.Tag, n.Defined)
		for _, e := range n.Values {
			w.symbol(Name, e.Name.Text).define(Enumerator, e.Name.Span())
			w.visit(orNil(e.Value))
		}
		return false
	}
	return true
}

// assigned notes what is assigned: a variable, or an element of an array.
func (w *walker) assigned(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Ident:
		w.plain(x.Name, x.Outer).assign(x.Span())
	case *ast.Var:
		w.symbol(scopeKind(x.Scope), x.Name).assign(lastOf(x.Span(), x.Name))
	case *ast.Paren:
		w.assigned(x.X)
	case *ast.Index:
		w.assigned(x.X)
		for _, a := range x.Args {
			w.visit(a)
		}
	default:
		w.visit(x)
	}
}

// tag notes struct x and its kin.
func (w *walker) tag(at token.Span, module, name string, defined bool) {
	if name == "" || module != "" {
		return
	}
	s, at := w.symbol(Tag, name), w.word(at, name)
	if defined {
		s.define(Tag, at)
		return
	}
	s.use(at)
}

// word returns the place of a word in what was written at a place.
func (w *walker) word(at token.Span, word string) token.Span {
	text := w.file.Text(at)
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return at // a macro has put it there
		}
		i += from
		end := i + len(word)
		if (i == 0 || !isWord(text[i-1])) && (end == len(text) || !isWord(text[end])) {
			return token.Span{From: at.From + token.Pos(i), To: at.From + token.Pos(end)}
		}
		from = end
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// aggName returns the place of the name of an aggregation, behind its sigil. The one
// without a name has its place there too.
func (w *walker) aggName(a *ast.AggRef) token.Span {
	from := a.Span().From + 1
	return token.Span{From: from, To: from + token.Pos(len(a.Name))}
}

// lastOf returns the place of a name at the end of what names it.
func lastOf(at token.Span, name string) token.Span {
	return token.Span{From: at.To - token.Pos(len(name)), To: at.To}
}

func scopeKind(s ast.Scope) Kind {
	switch s {
	case ast.Self:
		return Thread
	case ast.This:
		return Firing
	}
	return Name
}

// orNil makes a node of a part that may be absent, nil if it is.
func orNil[N ast.Node](n N) ast.Node {
	if any(n) == nil {
		return nil
	}
	return n
}
