package format

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// expr prints an expression. The tree has the parentheses of the source, so none
// need be invented.
func (p *printer) expr(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Unary:
		p.unary(x)
	case *ast.Postfix:
		p.expr(x.X)
		p.text(x.Op.String())
	case *ast.Binary:
		p.expr(x.X)
		if x.Op == token.Comma {
			p.text(",")
		} else {
			p.text(" " + x.Op.String())
		}
		p.next(x.X, x.Y)
		p.expr(x.Y)
	case *ast.Assign:
		p.expr(x.X)
		p.text(" " + x.Op.String())
		p.next(x.X, x.Y)
		p.expr(x.Y)
	case *ast.Cond:
		p.expr(x.Cond)
		p.text(" ?")
		p.next(x.Cond, x.Then)
		p.expr(x.Then)
		p.text(" :")
		p.next(x.Then, x.Else)
		p.expr(x.Else)
	case *ast.Index:
		p.expr(x.X)
		p.text("[")
		p.list(x.Args, x.X.Span().To)
		p.text("]")
	case *ast.Member:
		p.member(x)
	case *ast.Paren:
		p.text("(")
		p.expr(x.X)
		p.text(")")
	case *ast.Cast:
		p.inline(x.From)
		p.text("(" + p.typ(x.Type) + ")")
		p.expr(x.X)
	default:
		p.inline(x.Span().From)
		p.operand(x)
	}
}

// operand prints an expression that begins with a word of its own.
func (p *printer) operand(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Ident:
		p.text(x.Name)
	case *ast.Var:
		p.text(x.Scope.String() + "->" + x.Name)
	case *ast.KSym:
		p.text(x.Module + "`" + x.Name)
	case *ast.AggRef:
		p.text("@" + x.Name)
		if x.Keys != nil {
			p.text("[")
			p.list(x.Keys, x.From)
			p.text("]")
		}
	case *ast.Macro:
		if x.Quoted {
			p.text("$")
		}
		p.text("$" + x.Name)
	case *ast.Int:
		p.text(x.Text)
	case *ast.Char:
		p.text(x.Text)
	case *ast.String:
		p.text(x.Text)
	case *ast.Call:
		p.text(x.Fn.Text + "(")
		p.list(x.Args, x.Fn.To)
		p.text(")")
	case *ast.Sizeof:
		p.sizeof(x)
	case *ast.Offsetof:
		p.text("offsetof(" + p.typ(x.Type) + ", " + x.Member.Text + ")")
	case *ast.Xlate:
		p.text("xlate <" + p.typ(x.Type) + ">(")
		p.expr(x.X)
		p.text(")")
	case *ast.BadExpr:
		p.source(x)
	default:
		panic("format: unknown expression")
	}
}

func (p *printer) sizeof(x *ast.Sizeof) {
	if x.Type != nil {
		p.text("sizeof (" + p.typ(x.Type) + ")")
		return
	}
	p.text("sizeof ")
	p.expr(x.X)
}

func (p *printer) unary(x *ast.Unary) {
	op := x.Op.String()
	p.inline(x.From)
	p.text(op)
	_, paren := x.X.(*ast.Paren)
	if x.Op == token.KwStringof && !paren || op[0] == begins(x.X) && strings.Contains("+-&", op[:1]) {
		p.text(" ") // - -x is not --x
	}
	p.expr(x.X)
}

func (p *printer) member(x *ast.Member) {
	p.expr(x.X)
	switch _, number := x.X.(*ast.Int); {
	case x.Arrow:
		p.text("->")
	case number: // 1.x would be a number
		p.text(" .")
	default:
		p.text(".")
	}
	p.text(x.Name.Text)
}

// begins returns the first byte of an expression if it begins with an operator.
func begins(x ast.Expr) byte {
	for {
		switch n := x.(type) {
		case *ast.Unary:
			return n.Op.String()[0]
		case *ast.Postfix:
			x = n.X
		case *ast.Binary:
			x = n.X
		case *ast.Assign:
			x = n.X
		case *ast.Cond:
			x = n.Cond
		case *ast.Index:
			x = n.X
		case *ast.Member:
			x = n.X
		default:
			return 0
		}
	}
}

// list prints values with commas between. A value that begins a line in the
// source begins one here; after is where the word before the list ends.
func (p *printer) list(list []ast.Expr, after token.Pos) {
	for i, x := range list {
		switch {
		case i > 0:
			p.text(",")
			p.next(list[i-1], x)
		case p.breaks(after, x.Span().From):
			p.wrap(x.Span().From)
		}
		p.expr(x)
	}
}

// next parts two operands: by a new line if the source does so, or by a blank.
func (p *printer) next(x, y ast.Expr) {
	if p.breaks(x.Span().To, y.Span().From) {
		p.wrap(y.Span().From)
	} else {
		p.text(" ")
	}
}

func (p *printer) breaks(from, to token.Pos) bool {
	return !p.flat && p.lineOf(from) < p.lineOf(to)
}

// wrap goes on in a new line, half a tab deeper. The comments before pos, where
// the source goes on, stay in front of it.
func (p *printer) wrap(pos token.Pos) {
	for len(p.comments) > 0 && p.comments[0].From < pos {
		c := p.comments[0]
		p.comments = p.comments[1:]
		if s := p.out.String(); s[len(s)-1] != ' ' && !isControl(c) {
			p.text(" ")
		}
		p.comment(c)
		if len(p.comments) > 0 && p.comments[0].From < pos {
			p.line()
			p.text("    ")
		}
	}
	p.line()
	p.text("    ")
}
