package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/check/checktest"
	"dscope.dev/dlang/complete"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// fiftyLines is a script as people write them, with kernel structs in most lines.
func fiftyLines() string {
	var b strings.Builder
	b.WriteString("#pragma D option quiet\n")
	for i := range 12 {
		fmt.Fprintf(&b, `syscall::read:entry { self->ts%[1]d = timestamp; self->fd%[1]d = args[0]; }
syscall::read:return /self->ts%[1]d && curthread->parent->pid != %[1]d/ {
	@lat%[1]d[execname, curthread->parent->comm] = quantize(timestamp - self->ts%[1]d);
	printf("%%-16s %%6d %%s\n", stringof(curthread->comm), curthread->pid + %[1]d, execname); self->ts%[1]d = 0; }
`, i)
	}
	b.WriteString("END { printa(\"%16s %16s %@d\\n\", @lat0); }\n")
	return b.String()
}

// limit is what checking fifty lines may cost at the 99th percentile.
const limit = 10 * time.Millisecond

// BenchmarkCheck50 parses and checks fifty lines with a warm Env, and tells the
// 99th percentile.
func BenchmarkCheck50(b *testing.B) {
	src, env := fiftyLines(), checktest.New()
	took := make([]time.Duration, 0, 1<<16)
	for b.Loop() {
		start := time.Now()
		f := token.NewFile("input", src)
		s, _ := parser.Parse(f)
		if _, list := check.Check(f, s, env, check.Options{}); len(list) > 0 {
			b.Fatalf("%s", list[0].Msg)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	b.ReportMetric(float64(p99.Microseconds()), "p99-µs")
	if len(took) > 100 && p99 > limit {
		b.Errorf("the 99th percentile is %s, more than %s", p99, limit)
	}
}

func BenchmarkComplete(b *testing.B) {
	src, env := fiftyLines()+"BEGIN { trace(curthread->parent->", checktest.New()
	f := token.NewFile("input", src)
	s, _ := parser.Parse(f)
	for b.Loop() {
		if _, list := complete.At(f, s, env, nil, len(src)); len(list) == 0 {
			b.Fatal("nothing is offered")
		}
	}
}
