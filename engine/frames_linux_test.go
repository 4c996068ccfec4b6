package engine

import (
	"context"
	"errors"
	"testing"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/trial"
)

// TestKeepFrames takes the entry of a function off its trampoline where that would
// leave the function out of a stack which the script wants, and only there.
func TestKeepFrames(t *testing.T) {
	no := errors.New("not here")
	e := patchable(t, trial.Functions{})
	for _, tt := range []struct {
		script string
		minor  int
		hooks  trial.Functions
		tramps int
	}{
		{"fbt::vfs_read:entry { stack(); } fbt::vfs_read:return { trace(arg1); }", 19, trial.Functions{}, 1},
		{"fbt::vfs_read:entry { @[stack()] = count(); } fbt::vfs_read:return { trace(arg1); }", 19, trial.Functions{Multi: no}, 1},
		{"fbt::vfs_read:entry { trace(caller); } fbt::vfs_read:return { trace(arg1); }", 19, trial.Functions{}, 1},
		{"fbt::vfs_read:entry { stack(); } fbt::vfs_read:return { trace(arg1); }", 18, trial.Functions{}, 2},
		{"fbt::vfs_read:entry { stack(); } fbt::vfs_read:return { trace(arg1); }", 19, trial.Functions{Multi: no, Single: no}, 2},
		{"fbt::vfs_read:entry { ustack(); } fbt::vfs_read:return { stack(); }", 19, trial.Functions{}, 2},
		{"fbt::vfs_read:entry { stack(); } fbt::vfs_write:return { stack(); }", 19, trial.Functions{}, 2},
	} {
		e.machine.Trials.Functions = func() trial.Functions { return tt.hooks }
		e.machine.Facts.Major, e.machine.Facts.Minor = 6, tt.minor
		c, err := e.Compile(context.Background(), Script{Name: "x", Text: tt.script, Options: options.Default()})
		if err != nil {
			t.Fatal(err)
		}
		tramps := 0
		for _, u := range c.plan.Object.Units {
			if u.Tramp {
				tramps++
			} else if u.Why == "" || u.Hook.Return {
				t.Errorf("%s: %+v is not hooked by trampoline: %q", tt.script, u.Hook, u.Why)
			}
		}
		if tramps != tt.tramps {
			t.Errorf("%s on 6.%d: %d trampolines, want %d", tt.script, tt.minor, tramps, tt.tramps)
		}
	}
}
