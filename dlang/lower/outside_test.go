package lower

import (
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
)

func TestFrames(t *testing.T) {
	opts := ir.Options{StackFrames: 20, UstackFrames: 100, JstackFrames: 50}
	for _, tt := range []struct {
		fn               string
		asked, max, want int
	}{
		{"stack", 0, 0, 20},
		{"ustack", 0, 0, 100},
		{"jstack", 0, 0, 50},
		{"ustack", 95, 0, 95},
		{"ustack", 95, 25, 25},
		{"ustack", 0, 25, 25},
		{"stack", 0, 25, 20},
		{"stack", 3, 25, 3},
	} {
		opts.MaxFrames = tt.max
		l := &lowerer{opts: opts}
		if got := l.frames(&check.Call{Fn: &check.Function{Name: tt.fn}, Depth: tt.asked}); got != tt.want {
			t.Errorf("%s(%d) with maxframes %d takes %d frames, want %d", tt.fn, tt.asked, tt.max, got, tt.want)
		}
	}
}
