package cpp

import (
	"strings"

	"dscope.dev/dlang/diag"
)

// A kind is what the preprocessor needs to know of a token.
type kind uint8

const (
	eof     kind = iota // the end of a file, or of the tokens of an argument
	newline             // the end of a line, or of a directive
	ident
	number // as C's preprocessor counts: 10ms and 0x1f are one
	str
	char
	other // punctuation, and whatever D may have a use for
)

// A tok is a token with its place.
type tok struct {
	kind  kind
	space bool // blanks or comments stand before it
	off   bool // the name of a macro that must not be expanded any more
	text  string
	at    place // where it was written
	via   *use  // nil unless it comes from the body of a macro
}

// is reports whether t is the punctuator text.
func (t *tok) is(text string) bool { return t.kind == other && t.text == text }

// where returns the place to complain about t: that of the use, if a macro gave it.
func (t *tok) where() place {
	if t.via != nil {
		return t.via.at
	}
	return t.at
}

// A lexer cuts a source into tokens.
type lexer struct {
	p     *processor
	src   *source
	off   int    // of the next byte in src.text
	start bool   // nothing but blanks and comments has been read of this line
	conds []cond // conditionals that are open
}

// peek returns the byte n after the next one, or 0 at the end.
func (l *lexer) peek(n int) byte {
	if l.off+n < len(l.src.text) {
		return l.src.text[l.off+n]
	}
	return 0
}

// space passes over blanks and comments and reports whether there were any.
// Line ends are passed over in comments only.
func (l *lexer) space() bool {
	from := l.off
	for {
		switch c := l.peek(0); {
		case isBlank(c):
			l.off++
		case c == '/' && l.peek(1) == '/':
			if i := strings.IndexByte(l.src.text[l.off:], '\n'); i >= 0 {
				l.off += i
			} else {
				l.off = len(l.src.text)
			}
		case c == '/' && l.peek(1) == '*':
			l.comment()
		default:
			return l.off > from
		}
	}
}

func (l *lexer) comment() {
	if i := strings.Index(l.src.text[l.off+2:], "*/"); i >= 0 {
		l.off += i + 4
		return
	}
	l.p.errorf(l.src.place(l.off, l.off+2), diag.Syntax, "this comment does not end").Suggest("close it with */")
	l.off = len(l.src.text)
}

// next reads a token.
func (l *lexer) next() tok {
	space := l.space()
	from := l.off
	kind := l.token()
	l.start = kind == newline
	t := tok{kind: kind, space: space, text: l.src.text[from:l.off], at: l.src.place(from, l.off)}
	if !l.p.charge(t.at, len(t.text)) {
		return tok{kind: eof, at: t.at}
	}
	return t
}

func (l *lexer) token() kind {
	if l.off >= len(l.src.text) {
		return eof
	}
	switch c := l.peek(0); {
	case c == '\n':
		l.off++
		return newline
	case isDigit(c), c == '.' && isDigit(l.peek(1)):
		l.number()
		return number
	case isWord(c):
		from := l.off
		l.while(isWord)
		return l.wide(l.src.text[from:l.off])
	case c == '"', c == '\'':
		return l.quoted(c)
	case c >= 0x80:
		l.while(func(c byte) bool { return c >= 0x80 })
		return other
	}
	l.off += punctuator(l.src.text[l.off:])
	return other
}

// wide returns what a name is: C writes L'a' for a wide character, L"a" for a
// string of them.
func (l *lexer) wide(name string) kind {
	c := l.peek(0)
	if c == '"' || c == '\'' {
		switch name {
		case "L", "u", "U", "u8":
			was := l.off
			if k := l.quoted(c); k != other {
				return k
			}
			l.off = was
		}
	}
	return ident
}

func (l *lexer) while(ok func(byte) bool) {
	for l.off < len(l.src.text) && ok(l.src.text[l.off]) {
		l.off++
	}
}

func (l *lexer) number() {
	for l.off < len(l.src.text) {
		c := l.peek(0)
		switch {
		case strings.IndexByte("eEpP", c) >= 0 && (l.peek(1) == '+' || l.peek(1) == '-'):
			l.off += 2
		case isWord(c) || c == '.':
			l.off++
		default:
			return
		}
	}
}

// quoted reads a string or a character. A quote without a partner on its line is
// a character like any other: probe descriptions and prose may hold one.
func (l *lexer) quoted(quote byte) kind {
	i := l.off + 1
	for ; i < len(l.src.text) && l.src.text[i] != '\n'; i++ {
		switch l.src.text[i] {
		case '\\':
			if i+1 < len(l.src.text) && l.src.text[i+1] != '\n' {
				i++
			}
		case quote:
			l.off = i + 1
			if quote == '"' {
				return str
			}
			return char
		}
	}
	l.p.charge(l.src.place(l.off, l.off+1), i-l.off) // it may be read again
	l.off++
	return other
}

// skipLine passes over the rest of a line that is left out.
func (l *lexer) skipLine() {
	for {
		l.space()
		switch c := l.peek(0); {
		case l.off >= len(l.src.text):
			return
		case c == '\n':
			l.off++
			l.start = true
			return
		case c == '"' || c == '\'':
			l.quoted(c)
		default:
			l.off++
		}
	}
}

// opens reports whether the next token of the file, on this line or a later one,
// is an opening parenthesis. A directive comes before it.
func (l *lexer) opens() bool {
	was, start := l.off, l.start
	defer func() { l.off, l.start = was, start }()
	for {
		rest := l.src.text[l.off:]
		switch c := l.peek(0); {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return false // complained about when it is read
			}
			l.off += end + 4
		case strings.HasPrefix(rest, "//"):
			l.while(func(c byte) bool { return c != '\n' })
		case c == '\n', isBlank(c):
			l.off++
		default:
			return c == '('
		}
	}
}

// punctuator returns the length of the punctuation that text begins with.
func punctuator(text string) int {
	for _, p := range [...]string{"<<=", ">>=", "...", "^^="} {
		if strings.HasPrefix(text, p) {
			return 3
		}
	}
	if len(text) > 1 && strings.Contains(pairs, " "+text[:2]+" ") && text[:2] != ".." {
		return 2
	}
	return 1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWord reports whether c may stand in a name. As in the compilers $ may.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || isDigit(c)
}
