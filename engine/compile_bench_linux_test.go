package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
)

// thousandLines is a script of so many lines as people write them.
func thousandLines() string {
	var b strings.Builder
	calls := []string{"read", "write", "openat", "close", "mmap", "newfstat", "ioctl", "poll", "futex", "brk"}
	for i := range 71 {
		fmt.Fprintf(&b, `syscall::%[1]s:entry
/execname != "dd" && pid != %[2]d/
{
	self->ts%[3]d = timestamp;
	self->arg%[3]d = arg0;
	@calls%[4]d[execname, pid] = count();
}

syscall::%[1]s:return
/self->ts%[3]d/
{
	@t%[4]d[execname, probefunc] = quantize(timestamp - self->ts%[3]d);
	printf("%%d %%s %%x\n", %[2]d, execname, self->arg%[3]d);
	self->ts%[3]d = 0;
}
`, calls[i%len(calls)], i, i%20, i%10)
	}
	return b.String()
}

// BenchmarkCompile1000 compiles a thousand lines, as dscope trace -e does.
func BenchmarkCompile1000(b *testing.B) {
	e, text := tracing(b), thousandLines()
	for b.Loop() {
		if _, err := e.Compile(context.Background(), Script{Name: "script", Text: text, Options: options.Default()}); err != nil {
			b.Fatal(err)
		}
	}
}
