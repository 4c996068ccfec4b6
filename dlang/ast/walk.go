package ast

// Walk calls f for n and, where f returns true, for each of its children in
// the order of the text. The type of a declarator contains the type that its
// declaration begins with, so that one is visited for the declaration and once
// for each of its names.
func Walk(n Node, f func(Node) bool) { Meanings(nil).Walk(n, f) }

// Walk is the function Walk where an expression that stands for another has that one as its
// only child.
func (m Meanings) Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	if x, ok := n.(Expr); ok {
		if y := m.of(x); y != nil {
			m.Walk(y, f)
			return
		}
	}
	switch n := n.(type) {
	case *Script:
		walkAll(m, n.Items, f)
	case *Clause:
		walkAll(m, n.Probes, f)
		walkOne(m, n.Pred, f)
		if n.Body != nil {
			m.Walk(n.Body, f)
		}
	case *DeclItem:
		m.Walk(n.Decl, f)
	case *Inline:
		walkOne(m, n.Type, f)
		m.Walk(n.Name, f)
		walkOne(m, n.Value, f)
	case *Translator:
		walkOne(m, n.Out, f)
		walkOne(m, n.In, f)
		m.Walk(n.Name, f)
		walkAll(m, n.Members, f)
	case *TranslatorMember:
		m.Walk(n.Name, f)
		walkOne(m, n.Value, f)
	case *FuncItem:
		m.Walk(n.Decl, f)
		m.Walk(n.Body, f)
	case *Provider:
		m.Walk(n.Name, f)
		walkAll(m, n.Probes, f)
	case *ProbeDecl:
		m.Walk(n.Name, f)
		walkAll(m, n.In, f)
		walkAll(m, n.Out, f)
	case *ExprStmt:
		walkOne(m, n.X, f)
	case *AggAssign:
		m.Walk(n.Agg, f)
		m.Walk(n.Fn, f)
		walkAll(m, n.Args, f)
	case *Block:
		walkAll(m, n.Stmts, f)
	case *If:
		walkOne(m, n.Cond, f)
		walkOne(m, n.Then, f)
		walkOne(m, n.Else, f)
	case *For:
		walkOne(m, n.Init, f)
		walkOne(m, n.Cond, f)
		walkOne(m, n.Step, f)
		walkOne(m, n.Max, f)
		walkOne(m, n.Body, f)
	case *While:
		walkOne(m, n.Cond, f)
		walkOne(m, n.Max, f)
		walkOne(m, n.Body, f)
	case *DoWhile:
		walkOne(m, n.Body, f)
		walkOne(m, n.Cond, f)
		walkOne(m, n.Max, f)
	case *Return:
		walkOne(m, n.X, f)
	case *DeclStmt:
		m.Walk(n.Decl, f)
	case *AggRef:
		walkAll(m, n.Keys, f)
	case *Unary:
		walkOne(m, n.X, f)
	case *Postfix:
		walkOne(m, n.X, f)
	case *Binary:
		walkOne(m, n.X, f)
		walkOne(m, n.Y, f)
	case *Assign:
		walkOne(m, n.X, f)
		walkOne(m, n.Y, f)
	case *Cond:
		walkOne(m, n.Cond, f)
		walkOne(m, n.Then, f)
		walkOne(m, n.Else, f)
	case *Call:
		m.Walk(n.Fn, f)
		walkAll(m, n.Args, f)
	case *Index:
		walkOne(m, n.X, f)
		walkAll(m, n.Args, f)
	case *Member:
		walkOne(m, n.X, f)
		m.Walk(n.Name, f)
	case *Cast:
		walkOne(m, n.Type, f)
		walkOne(m, n.X, f)
	case *Sizeof:
		walkOne(m, n.Type, f)
		walkOne(m, n.X, f)
	case *Offsetof:
		walkOne(m, n.Type, f)
		m.Walk(n.Member, f)
	case *Xlate:
		walkOne(m, n.Type, f)
		walkOne(m, n.X, f)
	case *Paren:
		walkOne(m, n.X, f)
	case *Typeof:
		walkOne(m, n.Type, f)
		walkOne(m, n.X, f)
	case *Struct:
		walkAll(m, n.Members, f)
	case *Enum:
		walkAll(m, n.Values, f)
	case *Enumerator:
		m.Walk(n.Name, f)
		walkOne(m, n.Value, f)
	case *Pointer:
		walkOne(m, n.Elem, f)
	case *Array:
		walkOne(m, n.Elem, f)
		walkOne(m, n.Len, f)
	case *Assoc:
		walkOne(m, n.Elem, f)
		walkAll(m, n.Keys, f)
	case *Func:
		walkOne(m, n.Result, f)
		walkAll(m, n.Params, f)
	case *Param:
		walkOne(m, n.Type, f)
		if n.Name != nil {
			m.Walk(n.Name, f)
		}
	case *Decl:
		walkOne(m, n.Base, f)
		walkAll(m, n.Names, besides(n.Base, f))
	case *Declarator:
		if n.Name != nil {
			m.Walk(n.Name, f)
		}
		walkOne(m, n.Type, f)
		walkOne(m, n.Bits, f)
		walkOne(m, n.Init, f)
	case *Pragma, *BadItem, *ProbeDesc, *Name, *Jump, *Empty, *BadStmt, *Ident, *Var, *KSym, *Macro,
		*Int, *Char, *String, *BadExpr, *Basic, *Named, *BadType, *Comment:
	default:
		panic("ast.Walk: unknown node")
	}
}

func walkAll[N Node](m Meanings, list []N, f func(Node) bool) {
	for _, n := range list {
		m.Walk(n, f)
	}
}

// walkOne visits a child that may be absent.
func walkOne[N Node](m Meanings, n N, f func(Node) bool) {
	if any(n) != nil {
		m.Walk(n, f)
	}
}

// besides returns f for all but the members of a struct that declarators share,
// which have been walked: structs in structs would be walked twice as often with
// each.
func besides(base Type, f func(Node) bool) func(Node) bool {
	if s, ok := base.(*Struct); ok && s.Defined {
		return func(n Node) bool { return n != Node(s) && f(n) }
	}
	return f
}
