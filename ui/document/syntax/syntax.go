// Package syntax gives the words of a D script their classes for colouring:
// a chroma.Lexer over the compiler's own scanner.
//
// chroma knows a language called D, with the same file ending; it is another
// language, and its lexer must never see our scripts. With the scanner of the
// compiler, editor and compiler cannot disagree about what a word is: a probe
// description that the compiler takes for a name is coloured as a name.
//
// A Class is a token.Kind, with names parted further by what stands around
// them and by what D gives them as built in. A theme says what a class looks
// like through the chroma token type that the class stands for. The package
// colours what no parser would accept just as well: while somebody types, that
// is the usual state of a script.
package syntax

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// A Class is what a word is to the eye.
type Class uint8

// The classes.
const (
	Plain Class = iota
	Error
	Comment
	Control // #pragma and #! lines
	Probe
	Keyword
	Type
	Scope   // self, this
	Name    // a variable of the script, a member
	Builtin // a variable that D gives: execname
	Function
	Agg
	Macro
	Symbol // a kernel symbol
	Number
	Char
	String
	Operator
	Punct
	Classes // how many there are
)

// chromaTypes says which chroma token type a class stands for.
var chromaTypes = [Classes]chroma.TokenType{
	Plain: chroma.Text, Error: chroma.Error, Comment: chroma.Comment, Control: chroma.CommentPreproc,
	Probe: chroma.NameLabel, Keyword: chroma.Keyword, Type: chroma.KeywordType, Scope: chroma.Keyword,
	Name: chroma.NameVariable, Builtin: chroma.NameBuiltin, Function: chroma.NameFunction,
	Agg: chroma.NameVariableGlobal, Macro: chroma.NameVariableMagic, Symbol: chroma.NameNamespace,
	Number: chroma.LiteralNumber, Char: chroma.LiteralStringChar, String: chroma.LiteralString,
	Operator: chroma.Operator, Punct: chroma.Punctuation,
}

// Chroma returns the chroma token type that c stands for.
func (c Class) Chroma() chroma.TokenType { return chromaTypes[c] }

// A Word is a token with its class, in bytes of the script.
type Word struct {
	From, To int
	Kind     token.Kind
	Class    Class
}

// Words returns the words of a script in order. Blanks are between them.
func Words(src string) []Word {
	toks := scanner.Scan(token.NewFile("", src))
	out := make([]Word, len(toks))
	for i, t := range toks {
		out[i] = Word{t.Span.From.Offset(), t.Span.To.Offset(), t.Kind, classOf(t.Kind)}
	}
	for i := range out {
		if out[i].Kind == token.Ident {
			out[i].Class = nameClass(src, out, i)
		}
	}
	return out
}

// classOf returns the class of a kind; names are parted further by nameClass.
func classOf(k token.Kind) Class {
	switch k {
	case token.Bad:
		return Error
	case token.Comment:
		return Comment
	case token.Control:
		return Control
	case token.Probe:
		return Probe
	case token.Ident:
		return Name
	case token.KSym:
		return Symbol
	case token.Agg:
		return Agg
	case token.Macro:
		return Macro
	case token.Int, token.Float:
		return Number
	case token.Char:
		return Char
	case token.String:
		return String
	case token.LBrace, token.RBrace, token.LParen, token.RParen, token.LBracket, token.RBracket,
		token.Semicolon, token.Comma:
		return Punct
	case token.KwSelf, token.KwThis:
		return Scope
	case token.KwChar, token.KwDouble, token.KwFloat, token.KwInt, token.KwLong, token.KwShort,
		token.KwSigned, token.KwString, token.KwUnsigned, token.KwUserland, token.KwVoid,
		token.KwConst, token.KwVolatile, token.KwStruct, token.KwUnion, token.KwEnum:
		return Type
	}
	if k.IsKeyword() {
		return Keyword
	}
	return Operator
}

// nameClass parts the names: words[i] is one.
func nameClass(src string, words []Word, i int) Class {
	name := src[words[i].From:words[i].To]
	prev, next := kindAt(words, i-1), kindAt(words, i+1)
	switch {
	case prev == token.Dot || prev == token.Arrow:
		return Name
	case prev == token.KwStruct || prev == token.KwUnion || prev == token.KwEnum:
		return Type
	case next == token.LParen:
		return Function
	case strings.HasSuffix(name, "_t"):
		return Type
	case check.IsBuiltin(name):
		return Builtin
	}
	return Name
}

func kindAt(words []Word, i int) token.Kind {
	if i < 0 || i >= len(words) {
		return token.EOF
	}
	return words[i].Kind
}
