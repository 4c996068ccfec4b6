package lower

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/ir"
)

// The runtime: subroutines in the text form of the intermediate form, for what
// needs a loop. They are written for the kernel's verifier, which follows every
// way through a loop that it cannot tell apart:
//
//   - A loop has a trip count that is a constant; it is left early where that is
//     all that happens.
//   - What a loop carries is chosen by arithmetic and not by branches, so that
//     there is one way through its body.
//   - Strings are looked at eight bytes at a time where that is possible.
//   - A result does not tell by its limits how often the loop ran, or all that
//     follows is looked at once for each count. Where it would, it is combined
//     twice with a word from memory: (x ^ m) ^ m is x, and the verifier does not
//     know. The passes leave that alone.
//
// SIZE in a text stands for the bytes of a string, WORDS for one more than the
// last place at which a whole word can be read, LAST for the last byte, MORE for
// the bytes of a string with 8 bytes behind it, PATH with 24. SCRATCH
// stands for the most bytes of scratch memory, WIPED for 8 more. NSPEC is the number of speculations,
// SPECS the bytes of their table, SPECMAX how much one may record.
//
//go:embed lib/*.ir
var runtime embed.FS

// link adds the subroutines that were called.
func (l *lowerer) link() {
	n := l.strSize()
	sizes := strings.NewReplacer("SIZE", strconv.Itoa(n), "WORDS", strconv.Itoa(n-7), "LAST", strconv.Itoa(n-1), "MORE", strconv.Itoa(n+8),
		"PATH", strconv.Itoa(n+24), "SCRATCH", strconv.Itoa(l.scratchLimit()), "WIPED", strconv.Itoa(l.scratchLimit()+8),
		"SPECS", strconv.Itoa(l.specCount()*specEntry), "NSPEC", strconv.Itoa(l.specCount()), "SPECMAX", strconv.Itoa(l.opts.SpecSize))
	for _, name := range slices.Sorted(maps.Keys(l.subs)) {
		text, err := runtime.ReadFile("lib/" + name + ".ir")
		if err != nil {
			panic("lower: no subroutine " + name)
		}
		p, err := ir.Parse(sizes.Replace(string(text)))
		if err != nil {
			panic(fmt.Sprintf("lower: subroutine %s: %v", name, err))
		}
		l.out.Funcs = append(l.out.Funcs, p.Funcs...)
	}
}

// call calls a subroutine of the runtime that has a result.
func (f *fn) call(name string, args ...*ir.Value) *ir.Value {
	f.subs[name] = true
	return f.Emit(ir.Value{Op: ir.OpCall, Imm: 1, Aux: ir.Sym(name)}, args...)
}

// run calls a subroutine of the runtime that has none.
func (f *fn) run(name string, args ...*ir.Value) {
	f.subs[name] = true
	f.Emit(ir.Value{Op: ir.OpCall, Aux: ir.Sym(name)}, args...)
}
