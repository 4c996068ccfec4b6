package parser

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// Headers say more than D has words for. In a text that was preprocessed other
// spellings of C's words become the plain ones, attributes are read wherever the
// compilers take them, and in the headers themselves the parser passes over what D
// can neither call nor compute: bodies of functions and values of variables. None of
// it occupies a name of D.

// plain are the other spellings of C's words.
var plain = map[string]token.Kind{
	"__const": token.KwConst, "__const__": token.KwConst,
	"__restrict": token.KwRestrict, "__restrict__": token.KwRestrict,
	"__volatile": token.KwVolatile, "__volatile__": token.KwVolatile,
	"__signed": token.KwSigned, "__signed__": token.KwSigned,
	"__builtin_offsetof": token.KwOffsetof,
}

// silentWords say nothing that matters for D.
var silentWords = []string{"__extension__", "__inline", "__inline__", "_Noreturn", "__thread", "_Thread_local"}

// attributeWords begin what says more of a declaration, in parentheses.
var attributeWords = []string{"__attribute__", "__attribute", "__asm__", "__asm", "asm", "_Alignas"}

// numberWords go with the words of C's numbers. D cannot compute with what they make.
var numberWords = []string{"__int128", "_Complex", "__complex__", "__complex"}

// spell puts a token of a preprocessed text in plain words, and reports whether it
// is to be kept.
func (p *parser) spell(t *token.Token) bool {
	if t.Kind == token.Ident {
		text := p.file.Text(t.Span)
		if k, ok := plain[text]; ok {
			t.Kind = k
		}
		return !slices.Contains(silentWords, text)
	}
	p.unreserve(t.Kind)
	return t.Kind != token.KwInline || len(p.toks) == 0 || !isStorage(p.toks[len(p.toks)-1].Kind)
}

// unreserve makes a name of the last token if it is a word of D where C declares a
// name: what follows it is next. (const char *string, int counter)
func (p *parser) unreserve(next token.Kind) {
	n := len(p.toks)
	if n < 2 || !isOwnWord(p.toks[n-1].Kind) {
		return
	}
	switch next {
	case token.Comma, token.RParen, token.LBracket, token.Semicolon, token.Colon, token.Assign:
	case token.LParen: // int counter(void), but not 2 * stringof(x)
		if k := p.toks[n-1].Kind; k == token.KwStringof || k == token.KwOffsetof {
			return
		}
	default:
		return
	}
	if before := p.toks[n-2].Kind; before == token.Ident || before == token.Star || before == token.RBrace || isBasic(before) {
		p.toks[n-1].Kind = token.Ident
	}
}

// isOwnWord reports whether k is a word of D that is a name for C.
func isOwnWord(k token.Kind) bool {
	switch k {
	case token.KwCounter, token.KwImport, token.KwOffsetof, token.KwProbe, token.KwProvider, token.KwSelf, token.KwString,
		token.KwStringof, token.KwThis, token.KwTranslator, token.KwUserland, token.KwXlate:
		return true
	}
	return false
}

// inHeader reports whether the text at a place comes from a header.
func (p *parser) inHeader(at token.Pos) bool { return p.preprocessed && p.file.InHeader(at) }

// isNumberWord reports whether the current token goes with the words of numbers.
func (p *parser) isNumberWord() bool {
	return p.preprocessed && p.tok.Kind == token.Ident && slices.Contains(numberWords, p.text())
}

// word returns the current token as plain C spells it.
func (p *parser) word() string {
	if p.tok.Kind.IsKeyword() {
		return p.tok.Kind.String()
	}
	return p.text()
}

// attributes reads the attributes that stand here, if any.
func (p *parser) attributes(a *ast.Attrs) {
	for p.preprocessed && !p.silent && p.tok.Kind == token.Ident && p.peek(1) == token.LParen &&
		slices.Contains(attributeWords, p.text()) {
		aligns := p.text() == "_Alignas"
		if p.advance(); aligns {
			a.Align = p.alignment()
			continue
		}
		p.inParens(func() { p.attribute(a) })
	}
}

// attribute reads one token of an attribute, or one that aligns.
func (p *parser) attribute(a *ast.Attrs) {
	if p.tok.Kind == token.Ident {
		switch p.text() {
		case "packed", "__packed__":
			a.Packed = true
		case "aligned", "__aligned__":
			if p.peek(1) == token.LParen {
				p.advance()
				a.Align = p.alignment()
				return
			}
			a.Align = &ast.Int{Text: "16", Value: 16, At: ast.At(p.tok.Span)}
		}
	}
	p.advance()
}

// alignment reads how many bytes, or like what type, something is aligned.
func (p *parser) alignment() ast.Expr {
	start := p.tok.Span.From
	if p.isSizeofType() {
		p.advance()
		t := p.typeName()
		p.want(token.RParen, "after the type")
		return &ast.Sizeof{Type: t, Align: true, At: p.from(start)}
	}
	p.advance()
	x := p.cond()
	p.want(token.RParen, "after the alignment")
	return x
}

// inParens reads what stands in parentheses here, by do, which reads a token or more.
func (p *parser) inParens(do func()) {
	if !p.got(token.LParen) {
		return
	}
	for depth := 1; depth > 0 && !p.silent && p.tok.Kind != token.EOF; {
		switch p.tok.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			depth--
		default:
			do()
			continue
		}
		p.advance()
	}
}

// isAlignof reports whether the current token begins the alignment of a type.
func (p *parser) isAlignof() bool {
	return p.preprocessed && p.tok.Kind == token.Ident && p.peek(1) == token.LParen &&
		slices.Contains([]string{"__alignof__", "__alignof", "_Alignof"}, p.text())
}

// alignof parses _Alignof(type).
func (p *parser) alignof() ast.Expr {
	start := p.tok.Span.From
	p.advance()
	x := p.alignment()
	if s, ok := x.(*ast.Sizeof); ok {
		s.At = p.from(start)
	}
	return x
}

// staticAssert passes over _Static_assert(condition, "text"); which the compiler of
// the header has judged.
func (p *parser) staticAssert() bool {
	if !p.preprocessed || p.tok.Kind != token.Ident || p.text() != "_Static_assert" || p.peek(1) != token.LParen {
		return false
	}
	p.advance()
	p.inParens(p.advance)
	p.got(token.Semicolon)
	return true
}

// isCFunction reports whether inline, which is the current token, begins a function
// of C and not an inline of D, which has a value.
func (p *parser) isCFunction() bool {
	if !p.inHeader(p.tok.Span.From) {
		return false
	}
	called := false
	for n := 1; ; n++ {
		switch p.peek(n) {
		case token.LParen:
			called = true
		case token.LBrace, token.Semicolon:
			return called
		case token.Assign, token.EOF, token.Probe:
			return false
		}
	}
}

// foreignBody passes over the body of a function that a header defines, the
// declarations of its parameters before it included. The scanner's complaints about
// it are forgotten.
func (p *parser) foreignBody(d *ast.Decl) bool {
	if len(d.Names) == 0 || !p.inHeader(p.tok.Span.From) || p.silent {
		return false
	}
	f, ok := d.Names[len(d.Names)-1].Type.(*ast.Func)
	switch {
	case !ok:
		return false
	case p.tok.Kind == token.LBrace && d.Storage == "":
		return false // a function of D in a file of the script's own
	case p.tok.Kind != token.LBrace && !(p.startsDecl() && p.bodyFollows()):
		return false
	case p.tok.Kind != token.LBrace:
		f.Params = nil
	}
	from := p.tok.Span.From
	for p.tok.Kind != token.LBrace && p.tok.Kind != token.EOF {
		p.advance()
	}
	p.balanced()
	p.got(token.Semicolon)
	p.errs = slices.DeleteFunc(p.errs, func(d *diag.Diagnostic) bool { return from <= d.At.From && d.At.From < p.last.Span.To })
	d.Storage = "extern"
	return true
}

// bodyFollows reports whether declarations and then a brace follow, as in a function
// of K&R.
func (p *parser) bodyFollows() bool {
	for n := 0; ; n++ {
		switch k := p.peek(n); {
		case k == token.LBrace:
			return n > 0 && p.peek(n-1) == token.Semicolon
		case k == token.Assign, k == token.LParen, k == token.EOF, k == token.Probe, isStorage(k):
			return false
		}
	}
}

// balanced passes over what stands between braces, and them.
func (p *parser) balanced() {
	for depth := 0; p.tok.Kind != token.EOF; {
		switch p.tok.Kind {
		case token.LBrace:
			depth++
		case token.RBrace:
			depth--
		}
		if p.advance(); depth == 0 {
			return
		}
	}
}

// foreignValue passes over the value that a header gives to a variable.
func (p *parser) foreignValue() {
	for p.advance(); p.tok.Kind != token.EOF; {
		switch p.tok.Kind {
		case token.Comma, token.Semicolon:
			return
		case token.LBrace:
			p.balanced()
		case token.LParen:
			p.inParens(p.advance)
		default:
			p.advance()
		}
	}
}

// foreignLength passes over what C says of a parameter between the brackets of an
// array: [restrict], [static 2], [*].
func (p *parser) foreignLength() {
	for p.preprocessed && (p.tok.Kind == token.KwStatic || p.tok.Kind == token.KwRestrict || p.tok.Kind == token.KwConst ||
		p.tok.Kind == token.Star && p.peek(1) == token.RBracket) {
		p.advance()
	}
}
