package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A hanging tracer answers nothing in time while it hangs.
type hanging struct {
	*fake
	hangs bool
}

func (h *hanging) Check(ctx context.Context, s trace.Script) (l diag.List) {
	if !h.hangs {
		return h.fake.Check(ctx, s)
	}
	<-ctx.Done()
	l.Add(token.Span{From: 1, To: 1}, diag.Syntax, "%v", ctx.Err())
	return l
}

func (h *hanging) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	if pattern == "" {
		return h.fake.Probes(ctx, pattern)
	}
	<-ctx.Done()
	return nil, nil, ctx.Err()
}

func (h *hanging) Explain(ctx context.Context, _ trace.Script, _ int) (x trace.Explanation, ok bool) {
	<-ctx.Done()
	return x, false
}

// TestSlow says what did not come in time, and keeps what was known: no complaint is made of
// it, none is taken for mended, and no question is held to be one that cannot be asked.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hanging{fake: &fake{}}
		b := start(t, h, Options{})
		b.keys("alt+2")
		b.text("bad")
		b.wait(time.Second)
		b.shows("bad is no script")
		h.hangs = true
		b.text("der")
		b.wait(answering + time.Second)
		b.shows("check the script: no answer for 10s: the machine may be busy", "bad is no script")
		b.keys("alt+h")
		b.wait(answering + time.Second)
		facts := b.model().overlay.(*known).facts
		if got := facts[len(facts)-1].text; got != "no answer for 10s: the machine may be busy" {
			t.Errorf("of the word it is told: %s", got)
		}
		b.keys("esc", "alt+q")
		b.text("vfs file operations")
		b.wait(10 * answering)
		b.shows("What is asked of the file systems?", "cost medium")
		if view := b.view(); strings.Contains(view, "not here") || strings.Contains(view, "deadline") {
			t.Errorf("a question cannot be asked for there was no answer:\n%s", view)
		}
		b.end()
	})
}
