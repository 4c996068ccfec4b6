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
// Words in capitals stand for sizes; see words.
//
//go:embed lib/*.ir
var runtime embed.FS

// link adds the subroutines that were called.
func (l *lowerer) link() {
	words := l.words()
	var pairs []string
	for _, w := range slices.Sorted(maps.Keys(words)) {
		pairs = append(pairs, w, strconv.Itoa(words[w]))
	}
	sizes := strings.NewReplacer(pairs...)
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
		for _, fn := range p.Funcs {
			l.made(fn)
		}
	}
}

// words are what the words in capitals stand for that the runtime uses. None is the
// beginning of another.
func (l *lowerer) words() map[string]int {
	n := l.strSize()
	words := map[string]int{
		"SIZE":    n,                         // bytes of a string
		"WORDS":   n - 7,                     // one more than the last place at which a whole word can be read
		"LAST":    n - 1,                     // its last byte
		"MORE":    n + 8,                     // a string with 8 bytes behind it
		"NAMED":   n + longestName,           // and with the longest name of a file
		"PATH":    n + 24,                    // and with 24
		"TWICE":   2 * n,                     // two strings
		"JSON":    2*n + 128,                 // and with 128 bytes behind them
		"SCRATCH": l.scratchLimit(),          // the most bytes of scratch memory
		"WIPED":   l.scratchLimit() + 8,      // and a word behind it
		"NSPEC":   l.specCount(),             // the number of speculations
		"SPECS":   l.specCount() * specEntry, // the bytes of their table
		"SPECMAX": l.opts.SpecSize,           // how much one may record
	}
	maps.Copy(words, l.offsets)
	return words
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
