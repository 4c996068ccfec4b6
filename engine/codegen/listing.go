package codegen

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/mach"
)

// A script is the text that instructions quote; the file is set once it is
// known.
type script struct{ file *token.File }

// A source is the place in the script that an instruction was made for.
type source struct {
	at     token.Span
	script *script
}

// source returns what instructions for a place of the script quote.
func (s *script) source(at token.Span) fmt.Stringer { return &source{at, s} }

// String returns file:line: text, or nothing if the place is not known.
func (s *source) String() string {
	f := s.script.file
	if f == nil || !s.at.IsValid() {
		return ""
	}
	name, line, _ := f.Place(s.at.From)
	text, _ := f.LineAt(s.at.From)
	return fmt.Sprintf("%s:%d: %s", name, line, strings.TrimSpace(text))
}

// Quote lets the instructions quote the lines of the script: in listings and in
// what the verifier says.
func (o *Object) Quote(f *token.File) { o.script.file = f }

// Listing returns the intermediate form and the instructions of each program,
// with the lines of the script that they were made for, if Quote was called.
func (o *Object) Listing() string {
	var b strings.Builder
	b.WriteString(ir.Print(o.IR, o.script.file))
	for i, name := range o.Progs {
		if name == "" {
			continue
		}
		o.listProgram(&b, name, i)
	}
	for _, e := range o.Entries {
		if e.Calls != "" {
			o.listProgram(&b, e.Prog, e.Units[0])
		}
	}
	return b.String()
}

// listProgram writes the program of that name, which is at the hook of a unit.
func (o *Object) listProgram(b *strings.Builder, name string, unit int) {
	p := o.Spec.Programs[name]
	fmt.Fprintf(b, "\nprogram %s (%s%s), %d instructions\n", name, p.Type, hookName(o.Units[unit], p), size(p.Instructions))
	list(b, p.Instructions)
}

// hookName says where a program runs, for its title.
func hookName(u *Unit, p *ebpf.ProgramSpec) string {
	switch {
	case u.Shared:
		return fmt.Sprintf(", %d tracepoints", len(u.Hooks))
	case p.AttachTo != "":
		return ", " + p.AttachTo
	}
	return ""
}

// size returns the length in the kernel's units of 8 bytes.
func size(ins asm.Instructions) int { return int(ins.Size() / asm.InstructionSize) }

// list writes instructions as C-like lines, labels by the number of the
// instruction that they stand before.
func list(b *strings.Builder, ins asm.Instructions) {
	at := map[string]int{}
	for it := ins.Iterate(); it.Next(); {
		if sym := it.Ins.Symbol(); sym != "" {
			at[sym] = int(it.Offset)
		}
	}
	last := ""
	for it := ins.Iterate(); it.Next(); {
		if src := it.Ins.Source(); src != nil {
			if text := src.String(); text != "" && text != last {
				fmt.Fprintf(b, "; %s\n", text)
				last = text
			}
		}
		if sym := it.Ins.Symbol(); sym != "" && !strings.Contains(sym, ".") && it.Offset > 0 {
			fmt.Fprintf(b, "%s:\n", sym)
		}
		fmt.Fprintf(b, "%5d  %s\n", it.Offset, text(it.Ins, at))
	}
}

// operators are the operations of arithmetic as C writes them.
var operators = map[asm.ALUOp]string{
	asm.Add: "+=", asm.Sub: "-=", asm.Mul: "*=", asm.Div: "/=", asm.Mod: "%=", asm.Or: "|=", asm.And: "&=",
	asm.Xor: "^=", asm.LSh: "<<=", asm.RSh: ">>=", asm.ArSh: "s>>=", asm.Mov: "=",
}

var relations = map[asm.JumpOp]string{
	asm.JEq: "==", asm.JNE: "!=", asm.JGT: ">", asm.JGE: ">=", asm.JLT: "<", asm.JLE: "<=",
	asm.JSGT: "s>", asm.JSGE: "s>=", asm.JSLT: "s<", asm.JSLE: "s<=", asm.JSet: "&",
}

// text returns one instruction as the verifier's log writes them, roughly.
func text(i *asm.Instruction, at map[string]int) string {
	prefix := "r"
	if c := i.OpCode.Class(); c == asm.ALUClass || c == asm.Jump32Class {
		prefix = "w"
	}
	dst := fmt.Sprintf("%s%d", prefix, i.Dst)
	src := fmt.Sprintf("%s%d", prefix, i.Src)
	if i.OpCode.Class().IsALU() || i.OpCode.Class().IsJump() {
		if i.OpCode.Source() == asm.ImmSource {
			src = strconv.FormatInt(i.Constant, 10)
		}
	}
	where := func(base string) string {
		return fmt.Sprintf("*(u%d *)(%s %+d)", 8*i.OpCode.Size().Sizeof(), base, i.Offset)
	}
	switch c := i.OpCode.Class(); {
	case c == asm.LdClass:
		return loadText(i, dst)
	case c == asm.LdXClass:
		return fmt.Sprintf("%s = %s", dst, where(src))
	case c == asm.StClass:
		return fmt.Sprintf("%s = %d", where(dst), i.Constant)
	case i.OpCode == mach.FetchAdd:
		return fmt.Sprintf("%s = fetch_add(%s, %s)", src, where(dst), src)
	case i.OpCode == mach.CmpXchg:
		return fmt.Sprintf("r0 = cmpxchg(%s, r0, %s)", where(dst), src)
	case c == asm.StXClass && i.OpCode.Mode() == asm.AtomicMode:
		return fmt.Sprintf("lock %s += %s", where(dst), src)
	case c == asm.StXClass:
		return fmt.Sprintf("%s = %s", where(dst), src)
	case c.IsALU() && i.OpCode.ALUOp() == asm.Neg:
		return fmt.Sprintf("%s = -%s", dst, dst)
	case c.IsALU():
		return fmt.Sprintf("%s %s %s", dst, operators[i.OpCode.ALUOp()], src)
	}
	switch op := i.OpCode.JumpOp(); op {
	case asm.Exit:
		return "exit"
	case asm.Call:
		if i.Reference() != "" {
			return "call " + i.Reference()
		}
		if i.IsKfuncCall() {
			return fmt.Sprintf("call function %d of the kernel", i.Constant)
		}
		return "call " + asm.BuiltinFunc(i.Constant).String()
	case asm.JCOND:
		return fmt.Sprintf("may_goto %d", at[i.Reference()])
	case asm.Ja:
		return fmt.Sprintf("goto %d", at[i.Reference()])
	default:
		return fmt.Sprintf("if %s %s %s goto %d", dst, relations[op], src, at[i.Reference()])
	}
}

// loadText returns a load of a constant of 64 bits.
func loadText(i *asm.Instruction, dst string) string {
	switch i.Src {
	case asm.PseudoMapFD:
		return fmt.Sprintf("%s = map %s", dst, i.Reference())
	case asm.PseudoMapValue:
		return fmt.Sprintf("%s = %s %+d", dst, i.Reference(), i.Constant>>32)
	}
	return fmt.Sprintf("%s = %#x ll", dst, uint64(i.Constant))
}

// verifierLine is how the verifier's log begins a line about an instruction.
var verifierLine = regexp.MustCompile(`^(\d+): (?:R\d|\(|$)`)

// VerifierPlace finds the place in the script of the instruction that the
// kernel's verifier refused last, and what it said of it. The place is nowhere
// if the log names no instruction.
func VerifierPlace(err *ebpf.VerifierError, o *Object) (at token.Span, why string) {
	why = verdict(err.Log)
	n := -1
	for _, line := range slices.Backward(err.Log) {
		if m := verifierLine.FindStringSubmatch(line); m != nil {
			n, _ = strconv.Atoi(m[1])
			break
		}
	}
	p := o.refused(err)
	if p == nil || n < 0 {
		return at, why
	}
	for it := p.Instructions.Iterate(); it.Next() && int(it.Offset) <= n; {
		if src, ok := it.Ins.Source().(*source); ok && src.at.IsValid() {
			at = src.at
		}
	}
	return at, why
}

// verdict returns the verifier's own words: the last line of the log that is
// neither about an instruction nor a statistic.
func verdict(log []string) string {
	for _, line := range slices.Backward(log) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line[0] == ';', verifierLine.MatchString(line),
			strings.HasPrefix(line, "processed "), strings.HasPrefix(line, "verification time"),
			strings.HasPrefix(line, "stack depth"), strings.HasPrefix(line, "mark_precise"):
			continue
		}
		return line
	}
	return "no reason was given"
}

// loggedOp matches an instruction in the verifier's log: number and opcode.
var loggedOp = regexp.MustCompile(`^(\d+): \(([0-9a-f]{2})\)`)

// refused returns the program that err is about. The error does not name it, but
// the log tells the opcodes of the instructions that the verifier went through.
func (o *Object) refused(err *ebpf.VerifierError) *ebpf.ProgramSpec {
	for _, name := range o.Progs {
		p := o.Spec.Programs[name]
		if p != nil && agrees(p.Instructions, err.Log) {
			return p
		}
	}
	return nil
}

// agrees reports whether every instruction that the log tells of is in ins.
func agrees(ins asm.Instructions, log []string) bool {
	ops := map[string]string{}
	for it := ins.Iterate(); it.Next(); {
		ops[strconv.Itoa(int(it.Offset))] = fmt.Sprintf("%02x", uint8(it.Ins.OpCode))
	}
	for _, line := range log {
		if m := loggedOp.FindStringSubmatch(line); m != nil && ops[m[1]] != m[2] {
			return false
		}
	}
	return true
}
