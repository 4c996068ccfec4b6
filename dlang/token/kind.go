package token

// A Token is one word of a script.
type Token struct {
	Kind Kind
	Span Span
}

// A Kind is the lexical class of a token.
type Kind uint8

// The kinds. Comments and control lines are tokens too, because the printer
// keeps them and the editor colours them; the parser sets them aside.
const (
	EOF     Kind = iota
	Bad          // input that fits no rule; the scanner has reported it
	Comment      // /* … */ or // …
	Control      // a whole line that begins with #: #pragma, #!, #line
	Probe        // a probe description where one is due: syscall::read:entry, tick-1s, BEGIN, 17

	Ident  // execname, curthread, also mod`sym: see KernelSym
	KSym   // `sym or mod`sym
	Agg    // @latency, sigil included; a bare @ is the aggregation without a name
	Macro  // $1, $$1, $target, $$pid
	Int    // 12, 0x1f, 017, 5u, 3ull
	Float  // 1.5: scanned so that it can be refused as a whole
	Char   // 'a'
	String // "text"

	LBrace
	RBrace
	LParen
	RParen
	LBracket
	RBracket
	Semicolon
	Comma
	Colon
	Question
	Dot
	Arrow    // ->
	Ellipsis // ...

	Slash // a division or the fence of a predicate: only the parser can tell
	Star
	Percent
	Plus
	Minus
	Shl
	Shr
	Amp
	Caret
	Pipe
	Tilde
	Not
	AndAnd
	XorXor
	OrOr
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Inc
	Dec

	Assign
	SlashAssign
	StarAssign
	PercentAssign
	PlusAssign
	MinusAssign
	ShlAssign
	ShrAssign
	AmpAssign
	CaretAssign
	PipeAssign

	keywordsBegin
	KwAuto
	KwBreak
	KwCase
	KwChar
	KwConst
	KwContinue
	KwCounter
	KwDefault
	KwDo
	KwDouble
	KwElse
	KwEnum
	KwExtern
	KwFloat
	KwFor
	KwGoto
	KwIf
	KwImport
	KwInline
	KwInt
	KwLong
	KwOffsetof
	KwProbe
	KwProvider
	KwRegister
	KwRestrict
	KwReturn
	KwSelf
	KwShort
	KwSigned
	KwSizeof
	KwStatic
	KwString
	KwStringof
	KwStruct
	KwSwitch
	KwThis
	KwTranslator
	KwTypedef
	KwUnion
	KwUnsigned
	KwUserland
	KwVoid
	KwVolatile
	KwWhile
	KwXlate
	keywordsEnd
)

var kindText = [...]string{
	EOF: "end of script", Bad: "stray character", Comment: "comment", Control: "control line",
	Probe: "probe description",
	Ident: "name", KSym: "kernel symbol", Agg: "aggregation", Macro: "macro argument",
	Int: "integer", Float: "floating-point constant", Char: "character", String: "string",
	LBrace: "{", RBrace: "}", LParen: "(", RParen: ")", LBracket: "[", RBracket: "]",
	Semicolon: ";", Comma: ",", Colon: ":", Question: "?", Dot: ".", Arrow: "->", Ellipsis: "...",
	Slash: "/", Star: "*", Percent: "%", Plus: "+", Minus: "-", Shl: "<<", Shr: ">>",
	Amp: "&", Caret: "^", Pipe: "|", Tilde: "~", Not: "!",
	AndAnd: "&&", XorXor: "^^", OrOr: "||",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", Inc: "++", Dec: "--",
	Assign: "=", SlashAssign: "/=", StarAssign: "*=", PercentAssign: "%=", PlusAssign: "+=",
	MinusAssign: "-=", ShlAssign: "<<=", ShrAssign: ">>=", AmpAssign: "&=", CaretAssign: "^=",
	PipeAssign: "|=",
	KwAuto:     "auto", KwBreak: "break", KwCase: "case", KwChar: "char", KwConst: "const",
	KwContinue: "continue", KwCounter: "counter", KwDefault: "default", KwDo: "do",
	KwDouble: "double", KwElse: "else", KwEnum: "enum", KwExtern: "extern", KwFloat: "float",
	KwFor: "for", KwGoto: "goto", KwIf: "if", KwImport: "import", KwInline: "inline", KwInt: "int",
	KwLong: "long", KwOffsetof: "offsetof", KwProbe: "probe", KwProvider: "provider",
	KwRegister: "register", KwRestrict: "restrict", KwReturn: "return", KwSelf: "self",
	KwShort: "short", KwSigned: "signed", KwSizeof: "sizeof", KwStatic: "static",
	KwString: "string", KwStringof: "stringof", KwStruct: "struct", KwSwitch: "switch",
	KwThis: "this", KwTranslator: "translator", KwTypedef: "typedef", KwUnion: "union",
	KwUnsigned: "unsigned", KwUserland: "userland", KwVoid: "void", KwVolatile: "volatile",
	KwWhile: "while", KwXlate: "xlate",
}

// String returns k as it reads in a diagnostic, not as the constant is spelled.
func (k Kind) String() string {
	if int(k) < len(kindText) && kindText[k] != "" {
		return kindText[k]
	}
	return "unknown token"
}

// IsKeyword reports whether k is a reserved word.
func (k Kind) IsKeyword() bool { return keywordsBegin < k && k < keywordsEnd }

// IsAssign reports whether k is = or one of the compound assignments.
func (k Kind) IsAssign() bool { return Assign <= k && k <= PipeAssign }

// Binary returns the operator that a compound assignment applies: + for +=.
// It returns Bad for a plain = and for anything else.
func (k Kind) Binary() Kind {
	if i := k - SlashAssign; k >= SlashAssign && k <= PipeAssign {
		return [...]Kind{Slash, Star, Percent, Plus, Minus, Shl, Shr, Amp, Caret, Pipe}[i]
	}
	return Bad
}

var keywords = func() map[string]Kind {
	m := make(map[string]Kind, keywordsEnd-keywordsBegin)
	for k := keywordsBegin + 1; k < keywordsEnd; k++ {
		m[kindText[k]] = k
	}
	return m
}()

// Lookup returns the keyword that word spells, or Ident.
func Lookup(word string) Kind {
	if k, ok := keywords[word]; ok {
		return k
	}
	return Ident
}
