package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// TestWide says which scripts of the screen are estimated before they run.
func TestWide(t *testing.T) {
	e := tracing(t)
	for _, tt := range []struct {
		text string
		wide bool
	}{
		{`BEGIN, END, profile-4999, tick-1s { @ = count(); }`, false},
		{`syscall::read:entry, syscall::read:return { @ = count(); }`, false},
		{`sched::: { @ = count(); }`, false},
		{`syscall:::entry { @ = count(); }`, true},
		{`rawtp::: { @ = count(); }`, true},
	} {
		c, err := e.Compile(t.Context(), Script{Name: "wide", Text: tt.text, Options: options.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.plan.Wide(); got != tt.wide {
			t.Errorf("wide is %v for %s of %d places", got, tt.text, c.Probes())
		}
	}
}

// TestWideFunctions: few functions that everything goes through are wide, one never is.
func TestWideFunctions(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		wide bool
	}{{"vfs_read", 64, false}, {"vfs_read", 65, true}, {"_raw_spin_lock", 1, false}, {"_raw_spin_lock", 5, true}} {
		u := &plan.Unit{}
		for range tt.n {
			u.Hooks = append(u.Hooks, probes.Hook{Kind: probes.Function, Target: tt.name})
		}
		if c := (&plan.Plan{Units: []*plan.Unit{u}}); c.Wide() != tt.wide {
			t.Errorf("wide is %v for %d of %s", !tt.wide, tt.n, tt.name)
		}
	}
}

// TestForesee runs scripts as the workbench does.
func TestForesee(t *testing.T) {
	e := tracing(t)
	const narrow, wide = `syscall::read:entry { @ = count(); }`, `syscall:::entry { @[execname, ustack()] = count(); }`
	known := trace.Estimate{Cost: trace.Cost{Window: time.Second, Hits: 7, Share: 0.5}, CPUs: 2, Limit: 0.1}
	for _, tt := range []struct {
		name      string
		asked     trace.Script
		estimated bool
		refused   bool
	}{
		{"narrow", trace.Script{Text: narrow}, false, false},
		{"narrow, asked", trace.Script{Text: narrow, Options: []string{"estimate=100%"}}, true, false},
		{"wide", trace.Script{Text: wide, Options: []string{"estimate=99%"}}, true, false},
		{"wide, off", trace.Script{Text: wide, Options: []string{"estimate=off"}}, false, false},
		{"wide, the script says so", trace.Script{Text: "#pragma D option estimate=0.001%\n" + wide, Options: []string{"estimate=off"}}, true, true},
		{"known", trace.Script{Text: "#pragma D option estimate=0.001%\n" + wide, Foreseen: known}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var notes []string
			ctx := trace.WithNotes(t.Context(), func(text string) { notes = append(notes, text) })
			run, err := e.Run(ctx, tt.asked)
			var above *trace.WideError
			if errors.As(err, &above) != tt.refused || err != nil && above == nil {
				t.Fatalf("refused: %v", err)
			}
			if rehearsed := tt.estimated && !tt.asked.Foreseen.Known(); rehearsed && (len(notes) != 2 || notes[0] != trace.Estimating || notes[1] != "") || !rehearsed && notes != nil {
				t.Errorf("notes are %q", notes)
			}
			if tt.refused {
				if above.Estimate.Limit != 0.00001 || above.Estimate.Cost.Hits < 1 {
					t.Errorf("%+v", above.Estimate)
				}
				return
			}
			time.AfterFunc(300*time.Millisecond, run.Stop)
			o := all(run, 0)
			run.Close()
			if got := o.status.Before; got.Known() != tt.estimated || tt.asked.Foreseen.Known() && got.Cost.Hits != known.Cost.Hits {
				t.Errorf("it was expected to take %+v", got)
			}
		})
	}
}

// TestForeseeIsGivenUp: whoever does not want to wait for an estimate does not have to, and
// nothing of it stays.
func TestForeseeIsGivenUp(t *testing.T) {
	e := tracing(t)
	give := func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ctx = trace.WithNotes(ctx, func(text string) {
			if text == trace.Estimating {
				time.AfterFunc(200*time.Millisecond, cancel)
			}
		})
		from := time.Now()
		run, err := e.Run(ctx, trace.Script{Text: `syscall:::entry { @ = count(); }`})
		if err == nil {
			run.Close()
			t.Fatal("it has begun")
		}
		t.Logf("given up after %v: %v", time.Since(from), err)
	}
	give() // what the engine keeps is there now
	before := take(t)
	give()
	if after := take(t); after.files != before.files || after.mappings != before.mappings {
		t.Errorf("%d files and %d mappings, before %d and %d", after.files, after.mappings, before.files, before.mappings)
	}
}
