package usdt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// maxArgs is how many arguments a note may tell of: sys/sdt.h has macros for
// twelve, and D has names for ten.
const maxArgs = 12

// A place is what the text of an operand needs to be understood.
type place struct {
	arch   string // amd64 or arm64
	pc     uint64 // the address of the probe, as the file has it
	fixed  bool   // whether the program always lies where the file says
	symbol func(name string) (uint64, bool)
}

// parseArgs reads the arguments of a note: operands of an assembler, divided by
// blanks, each with its size before it.
//
//	-4@%eax 8@-8(%rbp)      8@[sp, 16] -4@w0
//
// A size of 8f or 4f is that of a floating-point number. What cannot be had becomes an
// operand that says why, so that it does not spoil the others.
func (p place) parseArgs(text string) []probes.Operand {
	var list []probes.Operand
	for _, word := range split(text) {
		if len(list) == maxArgs {
			break
		}
		o, err := p.parseArg(word)
		if err != nil {
			if o.Size == 0 {
				o.Size, o.Signed = 8, true
			}
			o = probes.Operand{Kind: probes.Refused, Size: o.Size, Signed: o.Signed, Float: o.Float, Why: err.Error()}
		}
		list = append(list, o)
	}
	return list
}

// split divides a text at blanks, but not within brackets or after a comma.
func split(text string) []string {
	var words []string
	depth, start := 0, -1
	for i, c := range []byte(text) {
		switch {
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth = max(depth-1, 0)
		}
		blank := c == ' ' || c == '\t'
		switch {
		case blank && depth == 0 && start >= 0 && text[i-1] != ',':
			words = append(words, text[start:i])
			start = -1
		case !blank && start < 0:
			start = i
		}
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

// parseArg reads one argument. The number before the @ is the size, negative if
// the value is signed. Old notes have none: then a register says how large it
// is, and anything else is a word.
func (p place) parseArg(word string) (probes.Operand, error) {
	size, text, found := strings.Cut(word, "@")
	var o probes.Operand
	if n, ok := sizes[size]; found && ok {
		o.Size, o.Signed = n.size, n.signed
	} else if n, ok := floats[size]; found && ok {
		o.Size, o.Float = n, true
	} else if found && size != "" && size[0] >= '-' && size[0] <= '9' {
		return o, fmt.Errorf("%s has a size of %s bytes; it can be 1, 2, 4 or 8", word, strings.TrimPrefix(size, "-"))
	} else {
		text = word
	}
	if text == "" {
		return o, fmt.Errorf("%s names no operand", word)
	}
	read := p.amd64
	if p.arch == "arm64" {
		read = p.arm64
	}
	if err := read(&o, text); err != nil {
		return o, fmt.Errorf("%s %w", word, err)
	}
	if o.Size == 0 {
		o.Size, o.Signed = 8, true
		if o.Kind == probes.Value && o.Base.Size != 0 {
			o.Size = o.Base.Size
		}
	}
	return o, nil
}

type sizeText struct {
	size   uint8
	signed bool
}

// sizes are the numbers that stand before the @.
var sizes = map[string]sizeText{
	"1": {1, false}, "2": {2, false}, "4": {4, false}, "8": {8, false},
	"-1": {1, true}, "-2": {2, true}, "-4": {4, true}, "-8": {8, true},
}

// floats are those of floating-point numbers.
var floats = map[string]uint8{"4f": 4, "8f": 8, "-4f": 4, "-8f": 8}

// The ways in which operands are refused.
var (
	errForm  = errors.New("is no operand that is understood")
	errFloat = errors.New("lies in a register for floating-point numbers and vectors, which the kernel does not hand to programs")
	errLocal = errors.New("lies in memory of the thread's own, of which the file does not tell where it is")
)

// number reads a number as assemblers write them.
func number(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	u, err := strconv.ParseUint(text, 0, 64) // the upper half of the unsigned numbers
	return int64(u), err == nil
}

// address reads a constant sum of symbols and numbers, such as counter+8 or
// -24. relative says whether it is an address of the program, and so moves with
// it.
func (p place) address(text string) (sum int64, relative bool, err error) {
	addresses := 0 // those that are added less those that are taken off
	for rest := text; rest != ""; {
		end := 1
		for end < len(rest) && rest[end] != '+' && rest[end] != '-' {
			end++
		}
		term := strings.TrimPrefix(rest[:end], "+")
		rest = rest[end:]
		if n, ok := number(term); ok {
			sum += n
			continue
		}
		name, of, _ := strings.Cut(term, "@")
		if strings.HasPrefix(of, "GOTPCREL") {
			return 0, false, errForm
		}
		if of != "" {
			return 0, false, errLocal // counter@tpoff, counter@gottpoff
		}
		name, less := strings.CutPrefix(name, "-")
		addr, ok := p.symbol(name)
		if !ok {
			return 0, false, fmt.Errorf("lies at %s, and the file has no symbol %s", text, name)
		}
		if less {
			sum, addresses = sum-int64(addr), addresses-1
		} else {
			sum, addresses = sum+int64(addr), addresses+1
		}
	}
	if addresses < 0 || addresses > 1 {
		return 0, false, errForm
	}
	return sum, addresses == 1, nil
}

// settle makes an address of the program relative to the probe, whose own
// address the registers hold. A program that always lies where its file says has
// no need of that, and its addresses are plain numbers.
func (p place) settle(o *probes.Operand, relative bool) {
	if relative && !p.fixed {
		o.PC = true
		o.Disp -= int64(p.pc)
	}
}

// typeOf returns D's type of an operand.
func typeOf(o probes.Operand) types.Type {
	switch {
	case o.Float && o.Size == 8:
		return &types.Float{Name: "double", Bytes: 8}
	case o.Float:
		return &types.Float{Name: "float", Bytes: 4}
	}
	t := map[sizeText]types.Type{
		{1, true}: types.Int8, {2, true}: types.Int16, {4, true}: types.Int32, {8, true}: types.Int64,
		{1, false}: types.UInt8, {2, false}: types.UInt16, {4, false}: types.UInt32, {8, false}: types.UInt64,
	}
	return t[sizeText{o.Size, o.Signed}]
}
