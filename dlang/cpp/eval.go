package cpp

import (
	"math/bits"
	"strings"

	"dscope.dev/dlang/diag"
)

// A value is an integer of 64 bits, as #if computes with.
type value struct {
	bits     uint64
	unsigned bool
}

func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// An evaluator computes the value of a condition. A part that does not count,
// behind && or in a branch not taken, is read all the same, but may divide by zero.
type evaluator struct {
	p      *processor
	toks   []tok
	end    place // of the last token, for what is missing
	depth  int
	idle   int  // how many parts that do not count are around
	failed bool // a complaint was made; all that follows is mute
}

func (e *evaluator) peek() *tok {
	if len(e.toks) == 0 {
		return &tok{kind: eof, at: e.end}
	}
	return &e.toks[0]
}

// got reads the operator text if it comes next.
func (e *evaluator) got(text string) bool {
	if len(e.toks) > 0 && e.toks[0].is(text) {
		e.toks = e.toks[1:]
		return true
	}
	return false
}

func (e *evaluator) fail(t *tok, format string, args ...any) {
	if e.failed {
		return
	}
	e.failed = true
	e.p.errorf(t.where(), diag.Preprocess, format, args...)
}

// conditional reads a ? b : c.
func (e *evaluator) conditional() value {
	if e.depth++; e.depth > maxDepth {
		e.fail(e.peek(), "this condition is nested too deeply")
	}
	defer func() { e.depth-- }()
	c := e.binary(1)
	if e.failed || !e.got("?") {
		return c
	}
	a := e.part(c.bits != 0, e.conditional)
	if !e.failed && !e.got(":") {
		e.fail(e.peek(), "? lacks its :")
	}
	b := e.part(c.bits == 0, e.conditional)
	unsigned := a.unsigned || b.unsigned
	if c.bits == 0 {
		a = b
	}
	a.unsigned = unsigned
	return a
}

// part reads a part that counts or does not.
func (e *evaluator) part(counts bool, read func() value) value {
	if counts {
		return read()
	}
	e.idle++
	v := read()
	e.idle--
	return v
}

// levels gives the binary operators their rank.
var levels = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// binary reads operators of at least a rank.
func (e *evaluator) binary(rank int) value {
	x := e.unary()
	for !e.failed {
		op := e.peek()
		level, ok := levels[op.text]
		if op.kind != other || !ok || level < rank {
			return x
		}
		e.toks = e.toks[1:]
		switch op.text {
		case "&&":
			y := e.part(x.bits != 0, func() value { return e.binary(level + 1) })
			x = truth(x.bits != 0 && y.bits != 0)
		case "||":
			y := e.part(x.bits == 0, func() value { return e.binary(level + 1) })
			x = truth(x.bits != 0 || y.bits != 0)
		default:
			x = e.apply(op, x, e.binary(level+1))
		}
	}
	return x
}

// apply computes x op y. Both become unsigned if one is.
func (e *evaluator) apply(op *tok, x, y value) value {
	unsigned := x.unsigned || y.unsigned
	less := int64(x.bits) < int64(y.bits)
	if unsigned {
		less = x.bits < y.bits
	}
	switch op.text {
	case "==":
		return truth(x.bits == y.bits)
	case "!=":
		return truth(x.bits != y.bits)
	case "<":
		return truth(less)
	case ">=":
		return truth(!less)
	case ">":
		return truth(!less && x.bits != y.bits)
	case "<=":
		return truth(less || x.bits == y.bits)
	case "<<":
		return shift(x, y, true)
	case ">>":
		return shift(x, y, false)
	case "/", "%":
		return e.divide(op, x, y, unsigned)
	}
	v := value{unsigned: unsigned}
	switch op.text {
	case "|":
		v.bits = x.bits | y.bits
	case "^":
		v.bits = x.bits ^ y.bits
	case "&":
		v.bits = x.bits & y.bits
	case "+":
		v.bits = x.bits + y.bits
	case "-":
		v.bits = x.bits - y.bits
	case "*":
		v.bits = x.bits * y.bits
	default:
		panic("cpp: operator without a meaning: " + op.text)
	}
	return v
}

// shift shifts x; by a negative count it goes the other way.
func shift(x, y value, left bool) value {
	n := y.bits
	if !y.unsigned && int64(n) < 0 {
		left, n = !left, -n
	}
	n = min(n, 64)
	switch {
	case left:
		x.bits <<= n
	case x.unsigned:
		x.bits >>= n
	default:
		x.bits = uint64(int64(x.bits) >> n)
	}
	return x
}

func (e *evaluator) divide(op *tok, x, y value, unsigned bool) value {
	v := value{unsigned: unsigned}
	switch {
	case y.bits == 0:
		if e.idle == 0 {
			e.fail(op, "division by zero in a condition")
		}
	case unsigned && op.text == "/":
		v.bits = x.bits / y.bits
	case unsigned:
		v.bits = x.bits % y.bits
	case op.text == "/":
		v.bits = uint64(int64(x.bits) / int64(y.bits))
	default:
		v.bits = uint64(int64(x.bits) % int64(y.bits))
	}
	return v
}

// unary reads an operand with the operators before it.
func (e *evaluator) unary() value {
	if e.depth++; e.depth > maxDepth {
		e.fail(e.peek(), "this condition is nested too deeply")
	}
	defer func() { e.depth-- }()
	if e.failed {
		return value{}
	}
	switch {
	case e.got("+"):
		return e.unary()
	case e.got("-"):
		v := e.unary()
		v.bits = -v.bits
		return v
	case e.got("~"):
		v := e.unary()
		v.bits = ^v.bits
		return v
	case e.got("!"):
		return truth(e.unary().bits == 0)
	case e.got("("):
		v := e.conditional()
		if !e.failed && !e.got(")") {
			e.fail(e.peek(), "( lacks its ) in this condition")
		}
		return v
	}
	return e.operand()
}

func (e *evaluator) operand() value {
	t := e.peek()
	if t.kind != eof {
		e.toks = e.toks[1:]
	}
	switch t.kind {
	case ident:
		return value{} // a name that is no macro is 0
	case number:
		v, ok := integer(t.text)
		if !ok {
			e.fail(t, "%s is no integer", t.text)
		}
		return v
	case char:
		_, text, _ := strings.Cut(t.text, "'")
		return value{bits: uint64(int64(character(text[:len(text)-1])))}
	case eof:
		e.fail(t, "the condition lacks an operand at its end")
	default:
		e.fail(t, "expected an operand instead of %s", t.text)
	}
	return value{}
}

// integer evaluates an integer constant of C.
func integer(text string) (v value, ok bool) {
	digits := strings.TrimRight(strings.ToLower(text), "ul")
	switch suffix := strings.ToLower(text[len(digits):]); suffix {
	case "", "l", "ll":
	case "u", "ul", "lu", "ull", "llu":
		v.unsigned = true
	default:
		return v, false
	}
	base := uint64(10)
	switch {
	case strings.HasPrefix(digits, "0x"):
		digits, base = digits[2:], 16
	case strings.HasPrefix(digits, "0b"):
		digits, base = digits[2:], 2
	case strings.HasPrefix(digits, "0"):
		base = 8
	}
	for i := range len(digits) {
		d := uint64(strings.IndexByte("0123456789abcdef", digits[i]))
		if d >= base {
			return v, false
		}
		high, low := bits.Mul64(v.bits, base)
		sum, carry := bits.Add64(low, d, 0)
		if v.bits = sum; high|carry != 0 {
			return v, false
		}
	}
	v.unsigned = v.unsigned || int64(v.bits) < 0
	return v, digits != ""
}

// character evaluates the inside of a character constant.
func character(text string) int32 {
	var v int32
	n := 0
	for ; text != ""; n++ {
		c := text[0]
		text = text[1:]
		if c == '\\' && text != "" {
			c, text = escape(text)
		}
		v = v<<8 | int32(c)
		if n == 0 {
			v = int32(int8(c))
		}
	}
	return v
}

// escape reads what follows a backslash.
func escape(text string) (byte, string) {
	if i := strings.IndexByte(`abfnrtv`, text[0]); i >= 0 {
		return "\a\b\f\n\r\t\v"[i], text[1:]
	}
	base, from, most := 8, 0, 3
	if text[0] == 'x' {
		base, from, most = 16, 1, len(text)
	}
	v, i := 0, from
	for ; i < len(text) && i < from+most; i++ {
		d := strings.IndexByte("0123456789abcdef", text[i]|0x20)
		if isDigit(text[i]) {
			d = int(text[i] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		v &= 0xff
	}
	if i == from {
		return text[0], text[1:]
	}
	return byte(v), text[i:]
}
