package scanner

import (
	"strings"
	"unicode/utf8"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// inner reads a token of an expression, an action or a declaration.
func (s *Scanner) inner() token.Kind {
	switch c := s.src[s.off]; {
	case isLetter(c), c == '`':
		return s.word()
	case isDigit(c), c == '.' && isDigit(s.peek(1)):
		return s.number()
	case c == '@':
		s.off++
		s.words(isWord)
		return token.Agg
	case c == '$':
		return s.macro()
	case c == '"':
		return s.quoted(token.String)
	case c == '\'':
		return s.quoted(token.Char)
	}
	return s.operator()
}

// words reads the bytes that ok accepts.
func (s *Scanner) words(ok func(byte) bool) {
	for s.off < len(s.src) && ok(s.src[s.off]) {
		s.off++
	}
}

// word reads a name, a keyword or a kernel symbol. A name that :: follows is none:
// no expression has two colons together, so a clause has lost its closing brace
// and here begins the next one.
func (s *Scanner) word() token.Kind {
	from := s.off
	s.words(isWord)
	if s.peek(0) == ':' && s.peek(1) == ':' || s.beginsClause(from) {
		s.words(isProbeByte)
		s.mode = outer
		return token.Probe
	}
	if s.prev == token.Dot || s.prev == token.Arrow {
		return token.Ident // a member may be called what it likes
	}
	return s.wordKind(from, s.off)
}

// beginsClause reports whether the word src[from:off] is a probe that can't be
// taken for a variable: BEGIN on a line of its own, say, before a brace.
func (s *Scanner) beginsClause(from int) bool {
	switch s.src[from:s.off] {
	case "BEGIN", "END", "ERROR":
		return (from == 0 || s.src[from-1] == '\n') && s.after(s.off) == '{'
	}
	return false
}

// wordKind is the kind of the word src[from:to]: a kernel symbol if it holds a
// back-quote, which a name has to follow.
func (s *Scanner) wordKind(from, to int) token.Kind {
	text := s.src[from:to]
	switch {
	case strings.HasSuffix(text, "`"):
		s.errorf(s.span(from), diag.UnknownIdent, "%s names no kernel symbol", text).
			Suggest("write the name right after the back-quote: `jiffies")
		return token.Bad
	case strings.Contains(text, "`"):
		return token.KSym
	}
	return token.Lookup(text)
}

func (s *Scanner) macro() token.Kind {
	from := s.off
	s.off++
	s.skip("$")
	switch c := s.peek(0); {
	case isDigit(c):
		s.words(isDigit)
	case isLetter(c):
		s.words(isWord)
	default:
		s.errorf(s.span(from), diag.Syntax, "%s names no macro argument", s.src[from:s.off]).
			Suggest("write $1, $$1, $target or another $name")
		return token.Bad
	}
	return token.Macro
}

// number reads an integer or a floating-point constant. Letters that run on
// after the digits belong to it, so that 12ab is one mistake and not two tokens;
// with a back-quote it is a symbol of a module whose name begins with a digit.
func (s *Scanner) number() token.Kind {
	from := s.off
	hex := s.peek(0) == '0' && (s.peek(1)|0x20) == 'x'
	s.words(isWord)
	text := s.src[from:s.off]
	if strings.Contains(text, "`") {
		return s.wordKind(from, s.off)
	}
	if !hex && (s.peek(0) == '.' && s.peek(1) != '.' || isExponent(text)) {
		return s.float(from)
	}
	if _, f := Int(text); f != nil {
		s.errorf(s.span(from), f.Code, "%s", f.Msg)
	}
	return token.Int
}

// isExponent reports whether text is like 1e5, or 1e before a sign.
func isExponent(text string) bool {
	i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	return i > 0 && text[i]|0x20 == 'e' && strings.TrimRight(text[i+1:], "0123456789fFlL") == ""
}

func (s *Scanner) float(from int) token.Kind {
	if s.skip(".") {
		s.words(isWord)
	}
	if last := s.src[s.off-1] | 0x20; last == 'e' && (s.peek(0) == '-' || s.peek(0) == '+') {
		s.off++
		s.words(isWord)
	}
	s.errorf(s.span(from), diag.Syntax, "D has no floating-point constants").
		Suggest("scale the values and use integers")
	return token.Float
}

// quoted reads a string or a character constant, which must end on its line.
func (s *Scanner) quoted(kind token.Kind) token.Kind {
	from, quote := s.off, s.src[s.off]
	for s.off++; s.off < len(s.src) && s.src[s.off] != '\n'; s.off++ {
		switch s.src[s.off] {
		case quote:
			s.off++
			if kind == token.Char {
				if _, f := Char(s.src[from:s.off]); f != nil {
					s.errorf(s.span(from), f.Code, "%s", f.Msg)
				}
			}
			return kind
		case '\\':
			if n := s.peek(1); n != 0 && n != '\n' {
				s.off++
			}
		}
	}
	if s.src[s.off-1] == '\r' && s.off-1 > from {
		s.off--
	}
	at := s.span(from)
	if kind == token.Char {
		s.errorf(at, diag.CharNewline, "this character constant does not end on its line").Suggest("close it with '")
	} else {
		s.errorf(at, diag.StrNewline, "this string does not end on its line").Suggest(`close it with ", or write \n for a new line`)
	}
	return kind
}

// operator reads an operator or punctuation, or reports what can't be read.
func (s *Scanner) operator() token.Kind {
	c := s.src[s.off]
	if kind := punctuation[c]; kind != token.EOF {
		s.off++
		return kind
	}
	ops := operators[c]
	for i := range ops {
		if s.skip(ops[i].text) {
			return ops[i].kind
		}
	}
	return s.bad()
}

// punctuation holds what no longer operator begins with.
var punctuation = [256]token.Kind{
	'{': token.LBrace, '}': token.RBrace, '(': token.LParen, ')': token.RParen,
	'[': token.LBracket, ']': token.RBracket, ';': token.Semicolon, ',': token.Comma,
	':': token.Colon, '?': token.Question, '~': token.Tilde,
}

type operator struct {
	text string
	kind token.Kind
}

// operators holds the others by their first byte, longest first.
var operators = [256][]operator{
	'.': {{"...", token.Ellipsis}, {".", token.Dot}},
	'-': {{"->", token.Arrow}, {"--", token.Dec}, {"-=", token.MinusAssign}, {"-", token.Minus}},
	'+': {{"++", token.Inc}, {"+=", token.PlusAssign}, {"+", token.Plus}},
	'<': {{"<<=", token.ShlAssign}, {"<<", token.Shl}, {"<=", token.Le}, {"<", token.Lt}},
	'>': {{">>=", token.ShrAssign}, {">>", token.Shr}, {">=", token.Ge}, {">", token.Gt}},
	'=': {{"==", token.Eq}, {"=", token.Assign}},
	'!': {{"!=", token.Ne}, {"!", token.Not}},
	'&': {{"&&", token.AndAnd}, {"&=", token.AmpAssign}, {"&", token.Amp}},
	'|': {{"||", token.OrOr}, {"|=", token.PipeAssign}, {"|", token.Pipe}},
	'^': {{"^^", token.XorXor}, {"^=", token.CaretAssign}, {"^", token.Caret}},
	'/': {{"/=", token.SlashAssign}, {"/", token.Slash}},
	'*': {{"*=", token.StarAssign}, {"*", token.Star}},
	'%': {{"%=", token.PercentAssign}, {"%", token.Percent}},
}

// bad reads a run of characters that D has no use for and complains once.
func (s *Scanner) bad() token.Kind {
	from := s.off
	r, n := utf8.DecodeRuneInString(s.src[s.off:])
	s.off += n
	for r >= utf8.RuneSelf && s.peek(0) >= utf8.RuneSelf {
		s.off++
	}
	d := s.errorf(s.span(from), diag.Syntax, "stray %q", r)
	switch r {
	case '“', '”', '„', '«', '»':
		d.Suggest(`write a plain "`)
	case '‘', '’':
		d.Suggest("write a plain '")
	case '–', '—', '−':
		d.Suggest("write a plain -")
	case '\u00a0', '\u2003', '\u200b', '\u3000':
		d.Suggest("this looks like a blank but is none; write a plain one")
	case '#':
		d.Suggest("a control line begins with # at the start of its line")
	case '"', '\'', '@':
		d.Suggest("actions stand between the braces of a clause: probe { … }")
	}
	return token.Bad
}
