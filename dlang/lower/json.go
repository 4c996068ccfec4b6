package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
)

// json() reads its text once, byte by byte, with an automaton that is a table, so
// that what the kernel's verifier follows of one byte is short: every byte has a
// class, and for every state and class the table holds what comes next. The
// program that looks it up is lib/json.ir; what a state or an act is called there is
// its number here.
//
// The rules are those of illumos and FreeBSD. A path is a list of keys with dots
// between them, and of indices in brackets: a.b[2].c. What it names is given as
// text: strings without their quotes but with the escapes that they have,
// everything else as it stands. Text that is not JSON, as far as it was read, holds
// nothing, and neither does a number or word that the text ends with.

// The classes of bytes. Those that end a part of a path are the last.
const (
	jsonOther = iota
	jsonBlank
	jsonUp // {
	jsonDown
	jsonQuote
	jsonBackslash
	jsonColon
	jsonComma
	jsonDigit
	jsonSmallE
	jsonLargeE
	jsonSmallHex // the others of a … f
	jsonLargeHex
	jsonSmallU
	jsonSmallX
	jsonSmall
	jsonLargeX
	jsonPlus
	jsonMinus
	_
	jsonDot
	jsonOpen // [
	jsonClose
	jsonEnd
	jsonClasses
)

// The states.
const (
	atStart    = iota
	atKey      // of an object, or its end
	inString   // or key
	inEscape   // behind a backslash
	inUnicode  // in the four digits of \u
	atColon    // behind a key
	atComma    // behind a value
	atValue    // before one
	inWord     // true, false, null
	inNumber   // before a dot or e
	inFraction // before an e
	inExponent
	inWhole // in an object or array that is copied or passed over
	jsonStates
)

// The acts.
const (
	actNone = iota
	actFail
	actAppend
	actEnter
	actKeyStart
	actQuote
	actComma
	actContainer
	actInner
	actBracket
	actToken
	actHex
	actUnicode
)

// jsonStride is how far the rows of two states lie apart, a power of two.
const jsonStride = 32

// jsonTables returns the class of every byte, and then the rows of the states. An
// entry is the act, and the next state times 16.
func jsonTables() string {
	b := make([]byte, 256, 256+jsonStates*jsonStride)
	for c := range 256 {
		b[c] = jsonClass(byte(c))
	}
	for state := range jsonStates {
		for class := range jsonStride {
			next, act := jsonStep(state, class)
			b = append(b, byte(next<<4|act))
		}
	}
	return string(b)
}

func jsonClass(c byte) byte {
	switch c {
	case 0:
		return jsonEnd
	case ' ', '\t', '\n', '\v', '\f', '\r':
		return jsonBlank
	case 'e':
		return jsonSmallE
	case 'E':
		return jsonLargeE
	case 'u':
		return jsonSmallU
	case 'x':
		return jsonSmallX
	case 'X':
		return jsonLargeX
	}
	const marks = "{}\"\\:,+-.[]"
	for i, class := range [len(marks)]byte{jsonUp, jsonDown, jsonQuote, jsonBackslash, jsonColon, jsonComma,
		jsonPlus, jsonMinus, jsonDot, jsonOpen, jsonClose} {
		if c == marks[i] {
			return class
		}
	}
	switch {
	case '0' <= c && c <= '9':
		return jsonDigit
	case 'a' <= c && c <= 'f':
		return jsonSmallHex
	case 'A' <= c && c <= 'F':
		return jsonLargeHex
	case 'a' <= c && c <= 'z':
		return jsonSmall
	}
	return jsonOther
}

// jsonStep says what a byte of a class does in a state. The end of the text ends
// all.
func jsonStep(state, class int) (next, act int) {
	small := class == jsonSmallE || class == jsonSmallHex || class == jsonSmallU || class == jsonSmallX || class == jsonSmall
	hex := class == jsonDigit || class == jsonSmallE || class == jsonLargeE || class == jsonSmallHex || class == jsonLargeHex
	opens := class == jsonUp || class == jsonOpen
	if class == jsonEnd || class >= jsonClasses {
		return state, actFail
	}
	switch state {
	case atStart, atKey, atColon, atComma, atValue:
		if class == jsonBlank {
			return state, actNone
		}
	case inNumber, inFraction, inExponent:
		return jsonNumber(state, class)
	}
	switch {
	case state == atStart && opens:
		return state, actEnter
	case state == atKey && class == jsonQuote:
		return inString, actKeyStart
	case state == inString && class == jsonBackslash:
		return inEscape, actAppend
	case state == inString && class == jsonQuote:
		return atComma, actQuote
	case state == inString:
		return inString, actAppend
	case state == inEscape && class == jsonSmallU:
		return inUnicode, actUnicode
	case state == inEscape:
		return inString, actAppend
	case state == inUnicode && hex:
		return inUnicode, actHex
	case state == atColon && class == jsonColon:
		return atValue, actNone
	case state == atComma && class == jsonComma:
		return state, actComma
	case state == atValue && opens:
		return inWhole, actContainer
	case state == atValue && class == jsonQuote:
		return inString, actNone
	case state == atValue && small:
		return inWord, actAppend
	case state == atValue && (class == jsonMinus || class == jsonDigit):
		return inNumber, actAppend
	case state == inWord && small:
		return inWord, actAppend
	case state == inWord:
		return atComma, actToken
	case state == inWhole && class == jsonQuote:
		return inString, actInner
	case state == inWhole && (opens || class == jsonDown || class == jsonClose):
		return inWhole, actBracket
	case state == inWhole:
		return inWhole, actAppend
	}
	return state, actFail
}

// jsonNumber is jsonStep within a number. A sign may stand in front and in the
// exponent, where any number of them will do.
func jsonNumber(state, class int) (next, act int) {
	sign := class == jsonPlus || class == jsonMinus
	switch {
	case class == jsonDigit || state == inExponent && sign:
		return state, actAppend
	case sign || state == inNumber && (class == jsonSmallX || class == jsonLargeX):
		return state, actFail
	case state == inNumber && class == jsonDot:
		return inFraction, actAppend
	case state != inExponent && (class == jsonSmallE || class == jsonLargeE):
		return inExponent, actAppend
	}
	return atComma, actToken
}

// json lowers json(text, path).
func (f *fn) json(x *ast.Call) str {
	text, path := f.strArg(x, 0), f.strArg(x, 1)
	tables := f.bytes(jsonTables())
	dst := f.fresh()
	found := f.call("json", dst, text, path, tables)
	missing := f.Op(ir.OpEq, found, f.Const(0))
	none, some := f.Block(), f.Block()
	f.Branch(missing, none, some)
	f.Go(none)
	f.Store(dst, 0, 8, f.Const(0))
	f.Jump(some)
	f.Go(some)
	s := f.inMemory(dst)
	s.null = missing
	return s
}

// bytes is a pointer to bytes that never change.
func (f *fn) bytes(s string) *ir.Value {
	i, known := f.strings[s]
	if !known {
		i = int64(len(f.out.Strings))
		f.strings[s] = i
		f.out.Strings = append(f.out.Strings, s)
	}
	return f.Emit(ir.Value{Op: ir.OpString, Imm: i, Size: len(s) + 1})
}
