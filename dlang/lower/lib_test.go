package lower

import (
	"io/fs"
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
)

// TestRuntime parses every subroutine and runs the passes over it.
func TestRuntime(t *testing.T) {
	files, err := fs.Glob(runtime, "lib/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no runtime", err)
	}
	for _, level := range []int{0, 2} {
		l := &lowerer{opts: ir.Options{StrSize: 256}, out: &ir.Program{}, subs: map[string]bool{}}
		for _, f := range files {
			l.subs[strings.TrimSuffix(strings.TrimPrefix(f, "lib/"), ".ir")] = true
		}
		l.link()
		for _, f := range l.out.Funcs {
			if err := ir.Verify(f); err != nil {
				t.Errorf("%s: %v", f.Name, err)
				continue
			}
			if err := ir.Optimize(f, level, nil); err != nil {
				t.Errorf("%v\n%s", err, f)
			}
		}
	}
}
