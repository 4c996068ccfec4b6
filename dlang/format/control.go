package format

import "dscope.dev/dlang/ast"

// function prints the definition of a function, its brace on a line of its own as
// that of a clause.
func (p *printer) function(f *ast.FuncItem) {
	n := f.Decl.Names[0]
	p.text(p.base(f.Decl.Base) + " " + p.declared(n))
	p.trail(n.To)
	p.above(f.Body.From, false)
	p.block(f.Body)
}

// forStmt prints a for and ends the line.
func (p *printer) forStmt(s *ast.For) {
	p.text("for (")
	switch init := s.Init.(type) {
	case *ast.ExprStmt:
		p.expr(init.X)
		p.text(";")
	case *ast.DeclStmt:
		p.decl(init.Decl)
	default:
		p.text(";")
	}
	if s.Cond != nil {
		p.text(" ")
		p.expr(s.Cond)
	}
	p.text(";")
	if s.Step != nil {
		p.text(" ")
		p.expr(s.Step)
	}
	p.bound(s.Max)
	p.text(")")
	p.branch(s.Body, false)
}

// whileHead prints while (cond; max rounds).
func (p *printer) whileHead(cond, most ast.Expr) {
	p.text("while (")
	p.expr(cond)
	p.bound(most)
	p.text(")")
}

func (p *printer) bound(most ast.Expr) {
	if most != nil {
		p.text("; max ")
		p.expr(most)
	}
}

func (p *printer) returnStmt(s *ast.Return) {
	p.text("return")
	if s.X != nil {
		p.text(" ")
		p.expr(s.X)
	}
	p.text(";")
}
