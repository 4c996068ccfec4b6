package engine

import (
	"context"
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestCall checks scripts that mean something by what the call brings along, and by
// nothing that an earlier call brought.
func TestCall(t *testing.T) {
	e, err := over(kerneltest.Read(t, "linux-6.18-amd64").Open(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		s    trace.Script
		want string // in the first complaint; "" if there is none
	}{
		{trace.Script{Text: `BEGIN { trace($1); }`, Args: []string{"7"}}, ""},
		{trace.Script{Text: `BEGIN { trace($1); }`}, "$1 has no value"},
		{trace.Script{Text: `BEGIN { trace($$2); }`, Args: []string{"a", "b"}}, ""},
		{trace.Script{Text: `BEGIN { trace($$1); }`, Args: []string{"a", "b"}}, "extraneous argument 'b'"},
		{trace.Script{Text: `BEGIN { system("x"); }`}, "system() is destructive"},
		{trace.Script{Text: `BEGIN { system("x"); }`, Options: []string{"quiet", "destructive"}}, ""},
		{trace.Script{Text: `BEGIN { trace(1); }`, Options: []string{"strsize=none"}}, "set option strsize=none: "},
		{trace.Script{Text: `BEGIN { trace(1); }`, Options: []string{"colour"}}, "set option colour: Invalid option name"},
		{trace.Script{Text: `BEGIN /$target == 12/ { }`, Target: 12}, ""},
	} {
		list := e.Check(context.Background(), tt.s)
		if tt.want == "" && list.Failed() || tt.want != "" && (!list.Failed() || !strings.Contains(list[0].Msg, tt.want)) {
			t.Errorf("%+v: want %q", tt.s, tt.want)
			for _, d := range list {
				t.Log(d.Msg)
			}
		}
	}
	// What the options of a run are: the pace of the screen, unless the call has another.
	o := options.Default()
	o.AggRate = screenRate
	s, err := called(trace.Script{Options: []string{"switchrate=50ms", "quiet"}}, o)
	if err != nil || s.Options.AggRate != screenRate || s.Options.SwitchRate.Milliseconds() != 50 || !s.Options.Quiet {
		t.Errorf("%+v, %v", s.Options, err)
	}
}
