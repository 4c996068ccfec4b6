package ast

// Walk calls f for n and, where f returns true, for each of its children in
// the order of the text. The type of a declarator contains the type that its
// declaration begins with, so that one is visited for the declaration and once
// for each of its names. An expression that stands for another has that one as
// its only child.
func Walk(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	if x, ok := n.(Expr); ok {
		if y := stands(x); y != nil {
			Walk(y, f)
			return
		}
	}
	switch n := n.(type) {
	case *Script:
		walkAll(n.Items, f)
	case *Clause:
		walkAll(n.Probes, f)
		walkOne(n.Pred, f)
		if n.Body != nil {
			Walk(n.Body, f)
		}
	case *DeclItem:
		Walk(n.Decl, f)
	case *Inline:
		walkOne(n.Type, f)
		Walk(n.Name, f)
		walkOne(n.Value, f)
	case *Translator:
		walkOne(n.Out, f)
		walkOne(n.In, f)
		Walk(n.Name, f)
		walkAll(n.Members, f)
	case *TranslatorMember:
		Walk(n.Name, f)
		walkOne(n.Value, f)
	case *FuncItem:
		Walk(n.Decl, f)
		Walk(n.Body, f)
	case *Provider:
		Walk(n.Name, f)
		walkAll(n.Probes, f)
	case *ProbeDecl:
		Walk(n.Name, f)
		walkAll(n.In, f)
		walkAll(n.Out, f)
	case *ExprStmt:
		walkOne(n.X, f)
	case *AggAssign:
		Walk(n.Agg, f)
		Walk(n.Fn, f)
		walkAll(n.Args, f)
	case *Block:
		walkAll(n.Stmts, f)
	case *If:
		walkOne(n.Cond, f)
		walkOne(n.Then, f)
		walkOne(n.Else, f)
	case *For:
		walkOne(n.Init, f)
		walkOne(n.Cond, f)
		walkOne(n.Step, f)
		walkOne(n.Max, f)
		walkOne(n.Body, f)
	case *While:
		walkOne(n.Cond, f)
		walkOne(n.Max, f)
		walkOne(n.Body, f)
	case *DoWhile:
		walkOne(n.Body, f)
		walkOne(n.Cond, f)
		walkOne(n.Max, f)
	case *Return:
		walkOne(n.X, f)
	case *DeclStmt:
		Walk(n.Decl, f)
	case *AggRef:
		walkAll(n.Keys, f)
	case *Unary:
		walkOne(n.X, f)
	case *Postfix:
		walkOne(n.X, f)
	case *Binary:
		walkOne(n.X, f)
		walkOne(n.Y, f)
	case *Assign:
		walkOne(n.X, f)
		walkOne(n.Y, f)
	case *Cond:
		walkOne(n.Cond, f)
		walkOne(n.Then, f)
		walkOne(n.Else, f)
	case *Call:
		Walk(n.Fn, f)
		walkAll(n.Args, f)
	case *Index:
		walkOne(n.X, f)
		walkAll(n.Args, f)
	case *Member:
		walkOne(n.X, f)
		Walk(n.Name, f)
	case *Cast:
		walkOne(n.Type, f)
		walkOne(n.X, f)
	case *Sizeof:
		walkOne(n.Type, f)
		walkOne(n.X, f)
	case *Offsetof:
		walkOne(n.Type, f)
		Walk(n.Member, f)
	case *Xlate:
		walkOne(n.Type, f)
		walkOne(n.X, f)
	case *Paren:
		walkOne(n.X, f)
	case *Typeof:
		walkOne(n.Type, f)
		walkOne(n.X, f)
	case *Struct:
		walkAll(n.Members, f)
	case *Enum:
		walkAll(n.Values, f)
	case *Enumerator:
		Walk(n.Name, f)
		walkOne(n.Value, f)
	case *Pointer:
		walkOne(n.Elem, f)
	case *Array:
		walkOne(n.Elem, f)
		walkOne(n.Len, f)
	case *Assoc:
		walkOne(n.Elem, f)
		walkAll(n.Keys, f)
	case *Func:
		walkOne(n.Result, f)
		walkAll(n.Params, f)
	case *Param:
		walkOne(n.Type, f)
		if n.Name != nil {
			Walk(n.Name, f)
		}
	case *Decl:
		walkOne(n.Base, f)
		walkAll(n.Names, besides(n.Base, f))
	case *Declarator:
		if n.Name != nil {
			Walk(n.Name, f)
		}
		walkOne(n.Type, f)
		walkOne(n.Bits, f)
		walkOne(n.Init, f)
	case *Pragma, *BadItem, *ProbeDesc, *Name, *Jump, *Empty, *BadStmt, *Ident, *Var, *KSym, *Macro,
		*Int, *Char, *String, *BadExpr, *Basic, *Named, *BadType, *Comment:
	default:
		panic("ast.Walk: unknown node")
	}
}

func walkAll[N Node](list []N, f func(Node) bool) {
	for _, n := range list {
		Walk(n, f)
	}
}

// walkOne visits a child that may be absent.
func walkOne[N Node](n N, f func(Node) bool) {
	if any(n) != nil {
		Walk(n, f)
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
