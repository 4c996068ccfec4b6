package lower

import (
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

func TestFrames(t *testing.T) {
	opts := ir.Options{StackFrames: 20, UstackFrames: 100, JstackFrames: 50}
	for _, tt := range []struct {
		fn               function.ID
		asked, max, want int
	}{
		{function.Stack, 0, 0, 20},
		{function.Ustack, 0, 0, 100},
		{function.Jstack, 0, 0, 50},
		{function.Ustack, 95, 0, 95},
		{function.Ustack, 95, 25, 25},
		{function.Ustack, 0, 25, 25},
		{function.Stack, 0, 25, 20},
		{function.Stack, 3, 25, 3},
	} {
		opts.MaxFrames = tt.max
		l := &lowerer{opts: opts}
		if got := l.frames(&check.Call{Fn: function.Of(tt.fn), Depth: tt.asked}); got != tt.want {
			t.Errorf("%s(%d) with maxframes %d takes %d frames, want %d", tt.fn, tt.asked, tt.max, got, tt.want)
		}
	}
}
