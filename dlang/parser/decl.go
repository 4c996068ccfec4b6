package parser

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// startsDecl reports whether a declaration begins at the current token.
func (p *parser) startsDecl() bool {
	switch p.tok.Kind {
	case token.Ident, token.KSym, token.KwSelf, token.KwThis:
		return true
	}
	return isTypeWord(p.tok.Kind) || isStorage(p.tok.Kind)
}

// isStorage reports whether k is a storage class. The scopes of variables are.
func isStorage(k token.Kind) bool {
	switch k {
	case token.KwTypedef, token.KwExtern, token.KwStatic, token.KwAuto, token.KwRegister,
		token.KwSelf, token.KwThis:
		return true
	}
	return false
}

// isTypeWord reports whether k is a keyword that a type may begin with.
func isTypeWord(k token.Kind) bool {
	switch k {
	case token.KwStruct, token.KwUnion, token.KwEnum:
		return true
	}
	return isBasic(k) || qualifier(k) != 0
}

func isBasic(k token.Kind) bool {
	switch k {
	case token.KwVoid, token.KwChar, token.KwShort, token.KwInt, token.KwLong, token.KwFloat,
		token.KwDouble, token.KwSigned, token.KwUnsigned, token.KwString:
		return true
	}
	return false
}

func qualifier(k token.Kind) ast.Quals {
	switch k {
	case token.KwConst:
		return ast.Const
	case token.KwVolatile:
		return ast.Volatile
	case token.KwRestrict:
		return ast.Restrict
	case token.KwUserland:
		return ast.Userland
	}
	return 0
}

// declItem parses a declaration at the top level.
func (p *parser) declItem() ast.Item {
	start := p.tok.Span.From
	d := p.decl(false)
	item := &ast.DeclItem{Decl: d}
	switch {
	case p.silent || p.unended:
		p.unended = false
	case p.foreignBody(d):
	case p.tok.Kind == token.LBrace && len(d.Names) > 0:
		return p.function(d, token.Span{From: start, To: p.last.Span.To})
	case len(d.Names) == 0 && isNamed(d.Base) && p.tok.Kind != token.Semicolon && p.tok.Kind != token.EOF:
		p.outside(token.Span{From: start, To: p.tok.Span.To})
		return &ast.BadItem{At: p.from(start)}
	case len(d.Names) == 0 && (isNamed(d.Base) || p.tok.Kind.IsKeyword()):
		p.expectedName("a name", "to declare")
	default:
		p.want(token.Semicolon, "after the declaration")
	}
	d.At = p.from(start)
	item.At = d.At
	return item
}

// outside complains of an action between the clauses, unless the scanner has
// complained of a word in the rest of it: that one is the cause.
func (p *parser) outside(at token.Span) {
	if p.brokenAhead() {
		p.silent = true
	}
	p.fail(at, diag.Syntax, "this action stands outside of a clause").
		Suggest("actions stand between the braces of a clause: probe { … }")
}

// brokenAhead reports whether the scanner has complained of a word from the current one to where
// an item may end. It looks no further than skipItem goes, or a script of mistakes would take
// the square of its length.
func (p *parser) brokenAhead() bool {
	for n := 0; ; n++ {
		switch k := p.peek(n); {
		case k == token.EOF, k == token.Semicolon, k == token.LBrace, k == token.RBrace, k == token.Probe:
			return false
		case p.isBroken(p.toks[p.next-1+n]):
			return true
		}
	}
}

func isNamed(t ast.Type) bool {
	_, ok := t.(*ast.Named)
	return ok
}

// function parses the body of a function that d declares. What d declares before
// it is a mistake.
func (p *parser) function(d *ast.Decl, start token.Span) ast.Item {
	n := d.Names[len(d.Names)-1]
	if _, ok := n.Type.(*ast.Func); !ok || n.Name == nil || len(d.Names) > 1 || d.Storage != "" {
		p.expected(";", "after the declaration")
		return &ast.DeclItem{Decl: d, At: p.from(start.From)}
	}
	f := &ast.FuncItem{Decl: d}
	f.Body = p.block("the function "+n.Name.Text, start)
	f.At = p.from(start.From)
	p.got(token.Semicolon)
	return f
}

// A spec is what stands before the declarators: storage class and type.
type spec struct {
	storage string // "" if there is none
	base    ast.Type
	attrs   ast.Attrs
}

// decl parses a declaration up to its semicolon. Members of a struct may be
// bit-fields or have no name.
func (p *parser) decl(member bool) *ast.Decl {
	start := p.tok.Span.From
	spec := p.declSpec()
	d := &ast.Decl{Storage: spec.storage, Base: spec.base}
	d.Attrs = spec.attrs
	for !p.silent && !p.unended && p.tok.Kind != token.Semicolon {
		if len(d.Names) == 0 && !p.startsDeclarator(member) {
			break
		}
		d.Names = append(d.Names, p.initDeclarator(spec, member))
		if !p.got(token.Comma) {
			break
		}
	}
	d.At = p.from(start)
	return d
}

func (p *parser) startsDeclarator(member bool) bool {
	switch p.tok.Kind {
	case token.Ident, token.KSym, token.Star, token.LBracket:
		return true
	case token.LParen:
		next := p.peek(1)
		return next == token.Star || next == token.Ident || next == token.LParen || next == token.KSym
	case token.Colon:
		return member
	}
	return false
}

// initDeclarator parses a declared name. It refuses a value for all but local variables.
func (p *parser) initDeclarator(spec spec, member bool) *ast.Declarator {
	start := p.tok.Span.From
	n := &ast.Declarator{Type: spec.base}
	if !member || p.tok.Kind != token.Colon {
		d := p.declarator(named)
		n.Name, n.Type, n.KSym = d.nameOr(p), d.wrap(spec.base), d.ksym
		p.attributes(&n.Attrs)
		if n.Name.Text != "" && !member {
			if p.local {
				p.names.remember(n.Name.Text)
			}
			p.names.declare(n.Name.Text, spec.storage == "typedef")
		}
	}
	switch {
	case p.silent:
	case member && p.got(token.Colon):
		n.Bits = p.cond()
		p.attributes(&n.Attrs)
	case p.local && p.got(token.Assign):
		n.Init = p.assignment()
	case p.tok.Kind == token.Assign && p.inHeader(p.tok.Span.From):
		p.foreignValue()
	case p.tok.Kind == token.Assign:
		p.complain(p.tok.Span, diag.Syntax, "a declaration gives no value in D").
			Suggest("assign it in BEGIN { %s = …; }, or write inline for a constant", n.Name.Text)
		p.advance()
		p.assignment()
	}
	n.At = p.from(start)
	return n
}

// declSpec parses storage class, qualifiers and type in any order.
func (p *parser) declSpec() spec {
	var s spec
	var quals ast.Quals
	var basic *ast.Basic
	start := p.tok.Span.From
	for {
		p.attributes(&s.attrs)
		k := p.tok.Kind
		if p.silent {
			k = token.EOF
		}
		switch q := qualifier(k); {
		case q != 0:
			quals |= q
		case isStorage(k):
			p.storage(&s)
		case (isBasic(k) || p.isNumberWord()) && s.base == nil:
			if basic == nil {
				basic = &ast.Basic{At: ast.At(p.tok.Span)}
			}
			basic.Words = append(basic.Words, p.word())
			basic.To = p.tok.Span.To
		case s.base == nil && basic == nil && p.startsOtherType(s.storage != ""):
			s.base = p.otherType()
			continue
		default:
			s.base = p.endSpec(s, basic, start)
			setQuals(s.base, quals)
			return s
		}
		p.advance()
	}
}

// startsOtherType reports whether a struct, union, enum or typedef name begins
// here. After a storage class a lone name is the declared one: self x;
func (p *parser) startsOtherType(storage bool) bool {
	switch p.tok.Kind {
	case token.KwStruct, token.KwUnion, token.KwEnum:
		return true
	case token.Ident, token.KSym:
		switch p.peek(1) {
		case token.Semicolon, token.Comma, token.Assign, token.LBracket:
			return !storage
		}
		return true
	}
	return false
}

// endSpec returns the type of a specification whose words have ended.
func (p *parser) endSpec(s spec, basic *ast.Basic, start token.Pos) ast.Type {
	switch {
	case s.base != nil:
		if isBasic(p.tok.Kind) || isTagWord(p.tok.Kind) {
			p.secondType()
		}
		return s.base
	case basic != nil:
		if isTagWord(p.tok.Kind) {
			p.complain(token.Span(basic.At), wordTag(basic.Words), "%s cannot go with %s", strings.Join(basic.Words, " "), p.text())
			return p.otherType()
		}
		return basic
	case s.storage != "" && p.startsDeclarator(false):
		return &ast.Basic{Words: []string{"int"}, At: p.from(start)}
	}
	p.expected("a type", "")
	return &ast.BadType{At: p.from(start)}
}

// secondType complains about a type that follows another. Most often the
// declaration before was not ended.
func (p *parser) secondType() {
	before, next := p.newLine()
	if !next && isBasic(p.tok.Kind) {
		p.fail(p.tok.Span, diag.DeclCombo, "%s cannot go with the type before it", p.text())
		return
	}
	p.unended = !p.silent
	p.complain(p.tok.Span, diag.DeclCombo, "%s cannot go with the type before it", p.text()).
		Suggest("end line %d with a semicolon", before)
}

// isTagWord reports whether k is what a tag follows.
func isTagWord(k token.Kind) bool {
	return k == token.KwStruct || k == token.KwUnion || k == token.KwEnum
}

// wordTag is the tag of a complaint that words, which are for numbers, stand
// before another type.
func wordTag(words []string) diag.Code {
	switch words[0] {
	case "short", "long":
		return diag.DeclLong
	case "signed", "unsigned":
		return diag.DeclSign
	}
	return diag.DeclCombo
}

func (p *parser) storage(s *spec) {
	switch {
	case p.tok.Kind == token.KwSelf && p.peek(1) == token.Arrow, p.tok.Kind == token.KwThis && p.peek(1) == token.Arrow:
		p.outside(p.tok.Span)
	case s.storage != "":
		p.complain(p.tok.Span, diag.DeclClass, "only one storage class is allowed, this is %s already", s.storage)
		return
	}
	s.storage = p.word()
}

// otherType parses a struct, union, enum or typedef name.
func (p *parser) otherType() ast.Type {
	switch p.tok.Kind {
	case token.KwStruct, token.KwUnion:
		return p.structType()
	case token.KwEnum:
		return p.enumType()
	}
	if p.isTypeof(0) {
		return p.typeofType()
	}
	module, name := splitSym(p.text())
	t := &ast.Named{Module: module, Name: name, At: ast.At(p.tok.Span)}
	p.advance()
	return t
}

// splitSym parts the module from the symbol of mod`sym.
func splitSym(text string) (module, name string) {
	if i := strings.LastIndexByte(text, '`'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return "", text
}

func setQuals(t ast.Type, q ast.Quals) {
	switch t := t.(type) {
	case *ast.Basic:
		t.Quals = q
	case *ast.Named:
		t.Quals = q
	case *ast.Typeof:
		t.Quals = q
	case *ast.Struct:
		t.Quals = q
	case *ast.Enum:
		t.Quals = q
	}
}
