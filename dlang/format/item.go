package format

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// item prints an item. It leaves the end of the line to its caller, unless it
// has ended it.
func (p *printer) item(item ast.Item) {
	switch n := item.(type) {
	case *ast.Pragma:
		p.text(n.Text)
	case *ast.Clause:
		p.clause(n)
	case *ast.DeclItem:
		p.decl(n.Decl)
	case *ast.Inline:
		base, text := p.declarator(n.Type, n.Name.Text)
		p.text("inline " + join(p.base(base), text) + " = ")
		p.expr(n.Value)
		p.text(";")
	case *ast.Translator:
		p.translator(n)
	case *ast.Provider:
		p.provider(n)
	case *ast.FuncItem:
		p.function(n)
	case *ast.BadItem:
		p.source(n)
	default:
		panic("format: unknown item")
	}
}

// source prints a node as it stands in the source.
func (p *printer) source(n ast.Node) {
	p.text(strings.TrimSpace(p.file.Text(n.Span())))
	for len(p.comments) > 0 && p.comments[0].From < n.Span().To {
		p.comments = p.comments[1:]
	}
}

func (p *printer) clause(c *ast.Clause) {
	for i, d := range c.Probes {
		if i > 0 {
			p.above(d.From, false)
		}
		p.text(d.Text)
		switch {
		case i < len(c.Probes)-1:
			p.text(",")
		case c.Pred == nil && c.Body == nil:
			if !looksDeclared(d.Text) {
				p.text(";")
			}
			return
		}
		p.trail(d.To)
	}
	if c.Pred != nil {
		from := c.Pred.Span().From
		p.above(from, false)
		p.text("/")
		if begins(c.Pred) == '*' { // not a comment
			p.text(" ")
		}
		p.expr(c.Pred)
		p.text("/")
		p.trail(c.Pred.Span().To)
	}
	if c.Body != nil {
		p.above(c.Body.From, false)
		p.block(c.Body)
	}
}

// looksDeclared reports whether a probe description with a semicolon behind it
// would read as a declaration: a*b; is one. It stood at the end of the script.
func looksDeclared(text string) bool {
	return scanner.Scan(token.NewFile("", text+";"))[0].Kind != token.Probe
}

// open prints the brace that begins at pos, and what follows is indented.
func (p *printer) open(pos token.Pos) {
	p.text("{")
	p.trail(pos + 1)
	p.indent++
	p.first = true
}

// close prints the comments before the brace that ends at pos, and the brace.
func (p *printer) close(pos token.Pos) {
	p.above(pos-1, false)
	p.indent--
	p.first = false
	p.text("}")
	p.at = max(p.at, pos)
}

// block prints { … } and leaves the line open.
func (p *printer) block(b *ast.Block) {
	p.open(b.From)
	for _, s := range b.Stmts {
		p.lead(s.Span().From, false)
		p.stmt(s)
	}
	p.close(b.To)
}

// stmt prints an action and ends the line.
func (p *printer) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		p.expr(s.X)
		p.text(";")
	case *ast.AggAssign:
		p.expr(s.Agg)
		p.text(" = ")
		p.text(s.Fn.Text + "(")
		p.list(s.Args, s.Fn.To)
		p.text(");")
	case *ast.Block:
		p.block(s)
	case *ast.If:
		p.ifStmt(s)
		return
	case *ast.For:
		p.forStmt(s)
		return
	case *ast.While:
		p.whileHead(s.Cond, s.Max)
		p.branch(s.Body, false)
		return
	case *ast.DoWhile:
		p.text("do")
		p.branch(s.Body, true)
		p.beforeElse(s.Cond.Span().From)
		p.whileHead(s.Cond, s.Max)
		p.text(";")
	case *ast.Jump:
		p.text(s.Op.String() + ";")
	case *ast.Return:
		p.returnStmt(s)
	case *ast.DeclStmt:
		p.decl(s.Decl)
	case *ast.Empty:
		p.text(";")
	case *ast.BadStmt:
		p.source(s)
	default:
		panic("format: unknown action")
	}
	p.trail(s.Span().To)
}

// ifStmt prints an if with all its else ifs, and ends the line.
func (p *printer) ifStmt(s *ast.If) {
	for {
		p.text("if (")
		p.expr(s.Cond)
		p.text(")")
		p.branch(s.Then, s.Else != nil)
		if s.Else == nil {
			return
		}
		p.beforeElse(s.Else.Span().From)
		p.text("else")
		next, ok := s.Else.(*ast.If)
		if !ok {
			p.branch(s.Else, false)
			return
		}
		p.text(" ")
		s = next
	}
}

// branch prints what an if or else does. If more follows, a block leaves the
// line open for it.
func (p *printer) branch(s ast.Stmt, more bool) {
	if b, ok := s.(*ast.Block); ok {
		p.text(" ")
		p.block(b)
		if !more {
			p.trail(b.To)
		}
		return
	}
	p.trail(s.Span().From)
	p.indent++
	p.first = true
	p.lead(s.Span().From, false)
	p.stmt(s)
	p.indent--
}

func (p *printer) translator(n *ast.Translator) {
	base, text := p.declarator(n.In, n.Name.Text)
	p.text("translator " + p.typ(n.Out) + " < " + join(p.base(base), text) + " > ")
	p.open(p.braceAfter(n.Name.To))
	for _, m := range n.Members {
		p.lead(m.From, false)
		p.text(m.Name.Text + " = ")
		p.expr(m.Value)
		p.text(";")
		p.trail(m.To)
	}
	p.close(p.brace(n.Span()))
	p.text(";")
}

// braceAfter returns the place of the brace that opens after pos.
func (p *printer) braceAfter(pos token.Pos) token.Pos {
	if !pos.IsValid() { // of a part that is missing
		return pos
	}
	return pos + token.Pos(max(0, strings.IndexByte(p.file.Src[pos.Offset():], '{')))
}

// brace returns the end of the closing brace of an item that ends with a
// semicolon.
func (p *printer) brace(at token.Span) token.Pos {
	return at.From + token.Pos(strings.LastIndexByte(p.file.Text(at), '}')+1)
}

func (p *printer) provider(n *ast.Provider) {
	p.text("provider " + n.Name.Text + " ")
	p.open(p.braceAfter(n.Name.To))
	for _, d := range n.Probes {
		p.lead(d.From, false)
		p.text("probe " + d.Name.Text + "(" + p.params(d.In, false) + ")")
		if d.Out != nil {
			p.text(" : (" + p.params(d.Out, false) + ")")
		}
		p.text(";")
		p.trail(d.To)
	}
	p.close(p.brace(n.Span()))
	p.text(";")
}
