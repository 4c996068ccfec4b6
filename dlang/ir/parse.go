package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the text form of a program. What comes out is well-formed as far
// as its text goes; Verify says more.
func Parse(src string) (*Program, error) {
	p := &parser{prog: &Program{}}
	for i, line := range strings.Split(src, "\n") {
		line = cutComment(line)
		words, err := splitWords(line)
		if err == nil && len(words) > 0 {
			err = p.line(words)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if err := p.endFunc(); err != nil {
		return nil, err
	}
	return p.prog, nil
}

// cutComment drops what follows a semicolon outside of a string.
func cutComment(line string) string {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ';' && !quoted:
			return line[:i]
		}
	}
	return line
}

// splitWords cuts a line at blanks; a quoted string is one word.
func splitWords(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" {
			return words, nil
		}
		if line[0] == '"' {
			q, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, fmt.Errorf("a string that does not end")
			}
			words, line = append(words, q), line[len(q):]
			continue
		}
		i := strings.IndexAny(line, " \t\r\"")
		if i < 0 {
			i = len(line)
		}
		words, line = append(words, line[:i]), line[i:]
	}
}

// A parser holds what has been read.
type parser struct {
	prog   *Program
	fn     *Func
	block  *Block
	blocks map[int]*Block // by number; those that were only named yet have no values
	placed map[*Block]bool
	vals   map[int]*Value
	use    []pendingUse
	phis   map[*Value][]int // numbers of the blocks that the arguments of a phi come from
}

// A pendingUse is an argument whose value may stand further down.
type pendingUse struct {
	user *Value
	arg  int
	num  int
}

func (p *parser) line(words []string) error {
	switch head := words[0]; {
	case head == "func" || head == "sub":
		return p.beginFunc(words)
	case p.fn == nil:
		return p.entry(words)
	case head[0] == 'b' && strings.HasSuffix(head, ":"):
		return p.beginBlock(words)
	}
	return p.instruction(words)
}

func (p *parser) beginFunc(words []string) error {
	if err := p.endFunc(); err != nil {
		return err
	}
	if len(words) < 2 {
		return fmt.Errorf("a function without a name")
	}
	p.fn = &Func{Name: words[1], Unit: -1}
	for _, w := range words[2:] {
		switch k, v, _ := strings.Cut(w, "="); {
		case k == "unit" && words[0] == "func":
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return fmt.Errorf("bad unit %q", v)
			}
			p.fn.Unit = n
		case w == "result" && words[0] == "sub":
			p.fn.Result = true
		default:
			return fmt.Errorf("stray %q", w)
		}
	}
	if words[0] == "func" && p.fn.Unit < 0 {
		return fmt.Errorf("a func without a unit")
	}
	p.block, p.blocks, p.placed = nil, map[int]*Block{}, map[*Block]bool{}
	p.vals, p.use, p.phis = map[int]*Value{}, nil, map[*Value][]int{}
	return nil
}

// named returns the block with a number, which may not have come yet.
func (p *parser) named(n int) *Block {
	b := p.blocks[n]
	if b == nil {
		b = &Block{ID: n, Fn: p.fn}
		p.blocks[n] = b
		p.fn.nextB = max(p.fn.nextB, n+1)
	}
	return b
}

func (p *parser) beginBlock(words []string) error {
	n, err := number(strings.TrimSuffix(words[0], ":"), "b")
	if err != nil {
		return err
	}
	b := p.named(n)
	if p.placed[b] {
		return fmt.Errorf("b%d comes twice", n)
	}
	if len(words) > 2 || len(words) == 2 && words[1] != "cold" {
		return fmt.Errorf("stray words after %s", words[0])
	}
	b.Cold = len(words) == 2
	p.placed[b] = true
	p.fn.Blocks = append(p.fn.Blocks, b)
	p.block = b
	return nil
}

// maxNumber keeps the tables small that numbers index.
const maxNumber = 1 << 20

// number reads the number behind a letter: v12.
func number(w, letter string) (int, error) {
	digits, ok := strings.CutPrefix(w, letter)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n >= maxNumber {
		return 0, fmt.Errorf("%q is no %snumber", w, letter)
	}
	return n, nil
}

// instruction reads one value.
func (p *parser) instruction(words []string) error {
	if p.block == nil {
		return fmt.Errorf("%q before the first block", words[0])
	}
	if p.block.Term() != nil {
		return fmt.Errorf("%q after the end of b%d", words[0], p.block.ID)
	}
	v := &Value{ID: -1, Block: p.block}
	if len(words) > 2 && words[1] == "=" {
		n, err := number(words[0], "v")
		if err != nil {
			return err
		}
		if p.vals[n] != nil {
			return fmt.Errorf("v%d comes twice", n)
		}
		v.ID, p.vals[n] = n, v
		p.fn.nextV = max(p.fn.nextV, n+1)
		words = words[2:]
	}
	if err := v.setOp(words[0]); err != nil {
		return err
	}
	for _, w := range words[1:] {
		if err := p.operand(v, w); err != nil {
			return err
		}
	}
	p.block.Vals = append(p.block.Vals, v)
	return nil
}

// setOp reads name or name.size.
func (v *Value) setOp(w string) error {
	name, size, sized := strings.Cut(w, ".")
	for op := OpInvalid + 1; op < opCount; op++ {
		if infos[op].name == name {
			v.Op = op
		}
	}
	if v.Op == OpInvalid {
		return fmt.Errorf("no operation is called %q", name)
	}
	if !sized {
		return nil
	}
	n, err := strconv.Atoi(size)
	if err != nil || n <= 0 || n >= maxNumber || infos[v.Op].size == noSize {
		return fmt.Errorf("bad size in %q", w)
	}
	v.Size = n
	return nil
}

// operand reads one word after the operation.
func (p *parser) operand(v *Value, w string) error {
	switch w[0] {
	case 'v':
		return p.argument(v, w)
	case 'b':
		return p.target(v, w)
	case '#':
		n, err := strconv.ParseInt(w[1:], 10, 64)
		if err != nil || infos[v.Op].imm == noImm && v.Op != OpCall {
			return fmt.Errorf("bad number %q", w)
		}
		v.Imm = n
		return nil
	case '$':
		if !infos[v.Op].aux || v.Op == OpKeyIn || len(w) == 1 {
			return fmt.Errorf("stray name %q", w)
		}
		v.Aux = Sym(w[1:])
		return nil
	case '{':
		keys, err := keySet(w)
		if err != nil || v.Op != OpKeyIn {
			return fmt.Errorf("bad keys %q", w)
		}
		v.Aux = keys
		return nil
	}
	return fmt.Errorf("stray %q", w)
}

func (p *parser) argument(v *Value, w string) error {
	n, err := number(w, "v")
	if err != nil {
		return err
	}
	p.use = append(p.use, pendingUse{v, len(v.Args), n})
	v.Args = append(v.Args, nil)
	return nil
}

// target reads the successor of a terminator, or b1:v2 of a phi.
func (p *parser) target(v *Value, w string) error {
	from, val, isPhi := strings.Cut(w, ":")
	n, err := number(from, "b")
	if err != nil {
		return err
	}
	switch {
	case isPhi && v.Op == OpPhi:
		p.phis[v] = append(p.phis[v], n)
		return p.argument(v, val)
	case !isPhi && v.Op.IsTerminator() && len(p.block.Succs) < 2:
		p.block.Succs = append(p.block.Succs, p.named(n))
		return nil
	}
	return fmt.Errorf("stray %q", w)
}

func keySet(w string) (KeySet, error) {
	w, ok := strings.CutSuffix(w[1:], "}")
	if !ok {
		return nil, fmt.Errorf("no end")
	}
	keys := KeySet{}
	if w == "" {
		return keys, nil
	}
	for _, s := range strings.Split(w, ",") {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return nil, err
		}
		keys = append(keys, uint32(n))
	}
	return keys, nil
}

// endFunc ties the loose ends of a function.
func (p *parser) endFunc() error {
	f := p.fn
	if f == nil {
		return nil
	}
	p.fn = nil
	for n, b := range p.blocks {
		if !p.placed[b] {
			return fmt.Errorf("%s: b%d is missing", f.Name, n)
		}
	}
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			s.Preds = append(s.Preds, b)
		}
	}
	for _, u := range p.use {
		a := p.vals[u.num]
		if a == nil {
			return fmt.Errorf("%s: v%d is missing", f.Name, u.num)
		}
		u.user.Args[u.arg] = a
	}
	for n, v := range p.vals {
		if v.Type() == None {
			return fmt.Errorf("%s: v%d: %s gives nothing", f.Name, n, v.Op)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			if err := p.finish(f, v); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	p.prog.Funcs = append(p.prog.Funcs, f)
	return nil
}

// finish numbers a value without a result and puts the arguments of a phi in the
// order of the predecessors.
func (p *parser) finish(f *Func, v *Value) error {
	if v.ID < 0 {
		v.ID = f.nextV
		f.nextV++
	}
	if v.Op == OpParam {
		f.Params = append(f.Params, v)
	}
	if v.Op != OpPhi {
		return nil
	}
	from := p.phis[v]
	if len(from) != len(v.Block.Preds) || len(from) != len(v.Args) {
		return fmt.Errorf("v%d: %d arguments for %d predecessors", v.ID, len(v.Args), len(v.Block.Preds))
	}
	args := make([]*Value, len(v.Args))
	for i, pred := range v.Block.Preds {
		j := slices.Index(from, pred.ID)
		if j < 0 {
			return fmt.Errorf("v%d: nothing comes from b%d", v.ID, pred.ID)
		}
		args[i] = v.Args[j]
	}
	v.Args = args
	return nil
}
