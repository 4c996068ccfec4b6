package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// BenchmarkLower lowers and optimises scripts that consist of clauses of one
// unit, which are seven lines each when written out. Twice the script should take twice the time.
func BenchmarkLower(b *testing.B) {
	line := `syscall::read:entry /self->ts && execname != "dd"/ { @t[execname, pid] = quantize(timestamp - self->ts); self->ts = timestamp; trace(args[1]->b); }` + "\n"
	for _, clauses := range []int{8, 49, 150, 300} {
		b.Run(fmt.Sprint(clauses, " clauses"), func(b *testing.B) {
			benchScript(b, "self int64_t ts;\n"+strings.Repeat(line, clauses))
		})
	}
}

func benchScript(b *testing.B, script string) {
	p := checked(b, script, check.Options{})
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
