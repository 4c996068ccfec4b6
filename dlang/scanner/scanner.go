// Package scanner cuts a D script into tokens.
//
// D is two languages by its words. Inside a clause, a predicate or a
// declaration the words are C's, with @aggregations, $macros and `kernel
// symbols added. Outside, where a clause is due, they are probe descriptions,
// in which - * ? [ ] and . are letters: tick-1s is one word there and a
// subtraction elsewhere. The scanner knows where it is by watching a few
// tokens go by (braces, semicolons, the fences of a predicate), so that it
// needs neither the parser nor the types of the kernel, and an editor may
// colour with it what no parser would accept yet.
//
// Two questions can't be settled by the characters alone:
//
//   - A word where a clause is due may name a probe or a type: foo { … }, but
//     foo x;. DTrace asks the kernel for a type of that name. We look at what
//     follows, which needs no kernel and gives the same answer for every script
//     that has one meaning.
//   - A slash divides or fences a predicate. As in DTrace, the slash that is
//     followed by { or ; or by the end of the script closes the predicate;
//     anything else divides. Both are token.Slash; the parser uses the rule too.
//
// The scanner never fails. Text that fits no rule is a Bad token with a
// complaint; every call makes progress; spans are in order and do not overlap,
// and what lies between them is white space.
package scanner

import (
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// A mode is the lexis that holds at a place of the script.
type mode uint8

const (
	outer  mode = iota // where probe descriptions and declarations begin
	decl               // in a declaration, to its semicolon
	pred               // between the fences of a predicate
	clause             // between the braces of a clause
)

// A Scanner gives the tokens of one script, one by one.
type Scanner struct {
	src  string
	base token.Pos  // what its positions begin behind
	errs *diag.List // nil if nobody wants to know
	State
}

// A State is what a scanner knows behind a token. It holds on to no text.
type State struct {
	off  int // of the next byte
	mode mode
	// depth counts open braces in a declaration or clause.
	depth int
	// composite is set once a declaration has shown a word after which braces
	// belong to it (struct, enum, translator, …): int x { starts a clause instead.
	composite bool
	prev      token.Kind // the last token that was no comment
	seen      int        // offset up to which beyond has looked
}

// New returns a scanner at the beginning of f. Complaints go to errs, which may
// be nil.
func New(f *token.File, errs *diag.List) *Scanner {
	return &Scanner{src: f.Src, base: f.Base(), errs: errs}
}

// Scan returns all tokens of f, comments and control lines included, without
// the EOF. It is for those who colour; nobody hears of its complaints.
func Scan(f *token.File) []token.Token {
	toks := make([]token.Token, 0, len(f.Src)/4)
	for s := New(f, nil); ; {
		t := s.Next()
		if t.Kind == token.EOF {
			return toks
		}
		toks = append(toks, t)
	}
}

// Next returns the next token. At the end of the script it returns EOF, as often
// as it is called.
func (s *Scanner) Next() token.Token {
	s.space()
	from := s.off
	if from >= len(s.src) {
		return token.Token{Kind: token.EOF, Span: s.span(len(s.src))}
	}
	kind := s.token()
	if kind != token.Comment && kind != token.Control {
		s.follow(kind)
	}
	return token.Token{Kind: kind, Span: s.span(from)}
}

// span covers what was read since from.
func (s *Scanner) span(from int) token.Span {
	return token.Span{From: s.base + token.Pos(from+1), To: s.base + token.Pos(s.off+1)}
}

// Seen returns the offset up to which the text was looked at: what lies there or farther back
// has no part in the tokens so far. The end of the text counts as a byte.
func (s *Scanner) Seen() int {
	const most = 3 // bytes behind a token that may have been looked at
	return max(s.off+most, s.seen)
}

// Move returns s in a text in which everything lies by bytes farther back.
func (s State) Move(by int) State {
	s.off, s.seen = s.off+by, s.seen+by
	return s
}

// Like reports whether a scanner goes on in t as in s.
func (s State) Like(t State) bool {
	s.seen = t.seen
	return s == t
}

// space skips white space. A backslash at the end of a line is white space
// too, and so is the byte order mark that some editors begin a file with.
func (s *Scanner) space() {
	if s.off == 0 {
		s.skip("\ufeff")
	}
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case isSpace(c):
			s.off++
		case c == '\\' && s.mode != outer && (s.skip("\\\n") || s.skip("\\\r\n")):
		default:
			return
		}
	}
}

// skip reads text if it is what comes next.
func (s *Scanner) skip(text string) bool {
	if !strings.HasPrefix(s.src[s.off:], text) {
		return false
	}
	s.off += len(text)
	return true
}

// peek returns the byte that lies n after the next one, or 0 at the end.
func (s *Scanner) peek(n int) byte {
	if s.off+n < len(s.src) {
		return s.src[s.off+n]
	}
	return 0
}

// token reads one token. There is at least one byte, and it is no white space.
func (s *Scanner) token() token.Kind {
	switch c := s.src[s.off]; {
	case c == '/' && (s.peek(1) == '*' || s.peek(1) == '/'):
		return s.comment()
	case c == '#' && s.atLineStart():
		s.off = controlEnd(s.src, s.off)
		return token.Control
	case s.mode == outer:
		return s.outer()
	}
	return s.inner()
}

// atLineStart reports whether only blanks stand before the next byte in its line.
func (s *Scanner) atLineStart() bool {
	before := strings.TrimRight(s.src[:s.off], " \t\v\f")
	return before == "" || before == "\ufeff" || before[len(before)-1] == '\n'
}

// lineEnd returns the offset of the end of the line that holds off, without a
// carriage return before it.
func lineEnd(src string, off int) int {
	end := len(src)
	if i := strings.IndexByte(src[off:], '\n'); i >= 0 {
		end = off + i
		if end > off && src[end-1] == '\r' {
			end--
		}
	}
	return end
}

// controlEnd returns the offset of the end of the control line at off. As for the
// preprocessor a line that ends in a backslash goes on in the next.
func controlEnd(src string, off int) int {
	end := lineEnd(src, off)
	for end > off && src[end-1] == '\\' && end < len(src) {
		next := end + strings.IndexByte(src[end:], '\n') + 1
		off, end = next, lineEnd(src, next)
	}
	return end
}

func (s *Scanner) comment() token.Kind {
	from := s.off
	if s.peek(1) == '/' {
		s.off = lineEnd(s.src, s.off)
		return token.Comment
	}
	if i := strings.Index(s.src[from+2:], "*/"); i >= 0 {
		s.off = from + 2 + i + 2
		return token.Comment
	}
	s.off = len(s.src)
	s.errorf(token.Span{From: s.base + token.Pos(from+1), To: s.base + token.Pos(from+3)}, diag.Syntax,
		"this comment does not end").Suggest("close it with */")
	return token.Comment
}

// follow changes the mode as the token that was just read demands.
func (s *Scanner) follow(kind token.Kind) {
	before := s.prev
	s.prev = kind
	switch s.mode {
	case outer:
		switch kind {
		case token.Slash:
			s.mode = pred
		case token.LBrace:
			s.mode, s.depth = clause, 1
		}
	case pred:
		switch {
		case kind == token.LBrace: // the closing fence is missing
			s.mode, s.depth = clause, 1
		case kind == token.Slash && s.closesPredicate():
			s.mode = outer
		}
	case clause:
		s.braces(kind)
		if s.depth <= 0 {
			s.mode = outer
		}
	case decl:
		s.followDecl(before, kind)
	}
}

// followDecl changes the mode in a declaration. A brace behind a parenthesis
// begins the body of a function.
func (s *Scanner) followDecl(before, kind token.Kind) {
	switch kind {
	case token.KwStruct, token.KwUnion, token.KwEnum, token.KwTranslator, token.KwProvider:
		s.composite = true
	case token.LBrace, token.RBrace:
		if !s.composite || s.depth == 0 && before == token.RParen && kind == token.LBrace {
			s.mode, s.depth = clause, 1
			if kind == token.RBrace {
				s.mode = outer
			}
			return
		}
		s.braces(kind)
	case token.Semicolon:
		if s.depth <= 0 {
			s.mode = outer
		}
	}
}

func (s *Scanner) braces(kind token.Kind) {
	switch kind {
	case token.LBrace:
		s.depth++
	case token.RBrace:
		s.depth--
	}
}

// enterDecl begins a declaration.
func (s *Scanner) enterDecl() {
	s.mode, s.depth, s.composite = decl, 0, false
}

// closesPredicate reports whether the slash just read is the closing fence.
func (s *Scanner) closesPredicate() bool {
	switch c := s.src[s.beyond(s.off):]; {
	case c == "", c[0] == '{', c[0] == ';':
		return true
	}
	return false
}

// beyond returns the offset of the next byte at or after off that belongs neither
// to white space nor to a comment or control line.
func (s *Scanner) beyond(off int) int {
	off = s.skipBlank(off)
	s.seen = max(s.seen, off+1)
	return off
}

// skipBlank is beyond for who does not note how far it looked.
func (s *Scanner) skipBlank(off int) int {
	newLine := false
	for off < len(s.src) {
		rest := s.src[off:]
		switch {
		case isSpace(rest[0]):
			newLine = newLine || rest[0] == '\n'
			off++
			continue
		case rest[0] == '#' && newLine:
			off = controlEnd(s.src, off)
		case strings.HasPrefix(rest, "//"):
			off = lineEnd(s.src, off)
		case strings.HasPrefix(rest, "/*"):
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				return len(s.src)
			}
			off += i + 4
		default:
			return off
		}
		newLine = false
	}
	return off
}

// errorf complains, if anybody listens.
func (s *Scanner) errorf(at token.Span, code diag.Code, format string, args ...any) *diag.Diagnostic {
	if s.errs == nil {
		return &diag.Diagnostic{}
	}
	return s.errs.Add(at, code, format, args...)
}

func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// isWord reports whether c may stand inside a name; a back-quote may, because
// it parts a module from its symbol.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '`' }

// IsNameByte reports whether a byte can stand in an identifier.
func IsNameByte(c byte) bool { return isLetter(c) || isDigit(c) }
