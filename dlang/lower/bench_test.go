package lower_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// BenchmarkLower lowers and optimises a script of 50 lines, most of which are
// clauses of one unit.
func BenchmarkLower(b *testing.B) {
	line := `syscall::read:entry /self->ts && execname != "dd"/ { @t[execname, pid] = quantize(timestamp - self->ts); self->ts = timestamp; trace(args[1]->b); }` + "\n"
	p, list := checkScript("self int64_t ts;\n" + strings.Repeat(line, 49))
	if list.Failed() {
		b.Fatal(list[0].Msg)
	}
	units, target := gen.Units(p), gen.NewEnv().Target()
	for b.Loop() {
		res, list := lower.Lower(p, units, target, gen.Options())
		if list.Failed() {
			b.Fatal(list[0].Msg)
		}
		for _, f := range res.IR.Funcs {
			if err := ir.Optimize(f, 2, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}
