package why

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A numbered is an example with numbers that may lead somewhere.
func numbered(provider string, dims []trace.Dimension, facts []trace.Value) *timeline.Examples {
	x := timeline.NewExamples(1 << 20)
	place := []trace.Origin{{Keys: []string{"execname"}, Arg: "1", Dims: dims}}
	at := time.Unix(1_000_000, 0).UTC()
	x.Add(&trace.Snapshot{Elapsed: time.Second, Time: at, Aggs: []trace.Table{{Name: "t", Func: trace.Quantize, Origins: place}},
		Examples: []trace.Example{{Time: at, Value: 20, Weight: 1, Probe: trace.Probe{Provider: provider, Function: "read", Name: "entry"}, Facts: facts}}})
	return x
}

func whole(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 8, Int: n} }

var numberedDims = []trace.Dimension{{Name: "execname", Expr: "execname", Key: true}, {Name: "pid", Expr: "pid"}, {Name: "thread", Expr: "tid"},
	{Name: "file", Expr: "fds[arg0].fi_pathname"}, {Name: "descriptor", Expr: "(int)arg0"}, {Name: "fd", Expr: "args[0]"}, {Name: "out_fd", Expr: "args[1]"},
	{Name: "count", Expr: "args[2]"}, {Name: "arg3", Expr: "arg3"}, {Name: "self->at", Expr: "self->at"}, {Name: "self->ts", Expr: "self->ts"}}

func numberedFacts(pid, tid int64) []trace.Value {
	return []trace.Value{text("shop"), whole(pid), whole(tid), text("/then"), whole(3), whole(3), whole(4), whole(4096 << 8), whole(0x401000), whole(0x7f0000001000), whole(5 << 40)}
}

// followed opens an example, and what it leads to; look is what is asked of the machine.
func followed(t *testing.T, m *Model, x *timeline.Examples) (look LookMsg) {
	t.Helper()
	m.Open(selection.AskMsg{Of: selection.Selection{Name: "t", Func: trace.Quantize}, For: selection.Examples}, x, script)
	m.Update(widget.DoMsg{Action: "why.open"})
	if cmd := m.Update(widget.DoMsg{Action: "why.follow"}); cmd != nil {
		look = cmd().(LookMsg)
	}
	return look
}

// TestFollow leads from an example to questions about its thread and its process, to its
// files as they were and as they are, and to what lies at addresses.
func TestFollow(t *testing.T) {
	m := open(t, slow, selection.Examples, 100, 24)
	look := followed(t, m, numbered("syscall", numberedDims, numberedFacts(800, 812)))
	var leads []string
	for _, l := range look.Leads {
		if l.PID != 800 || l.At.Unix() != 1_000_000 {
			t.Errorf("%+v is not of the example", l)
		}
		leads = append(leads, []string{"fd", "at"}[l.Kind])
	}
	if got := strings.Join(leads, " "); got != "fd fd at at at" { // what is there twice is asked once, a count is no address
		t.Fatalf("leads are %s: %+v", got, look.Leads)
	}
	shows(t, m, "thread 812: What does this thread wait for, and who wakes it?", "process 800: What does this process wait for", "descriptor 3", "/then when the probe fired; looking …", "out_fd 4")
	m.Update(FoundMsg{ID: look.ID - 1, To: make([]Found, 5)}) // of another example
	shows(t, m, "looking …")
	m.Update(widget.DoMsg{Action: "list.down"})
	m.Update(FoundMsg{ID: look.ID, To: []Found{{Text: "/now\x1b[2J"}, {Err: errors.New("closed")}, {Text: "shop`main"}, {}, {Err: errors.New("process 800 has ended")}}})
	shows(t, m, "/now^[[2J now; /then when the probe fired", "was not recorded; now closed", "0x401000  shop`main", "self->ts", "process 800 has ended", "▌process 800")
	if strings.Contains(picture(m), "self->at") {
		t.Errorf("an address in nothing is shown:\n%s", picture(m))
	}
	m.Update(widget.DoMsg{Action: "why.open"})
	shows(t, m, "It takes the place of the script.", "+ /pid == 800/", "takes it as one step of undo")
	take := m.Update(widget.DoMsg{Action: "why.open"})().(TakeMsg)
	if !strings.Contains(take.Text, "/pid == 800/") || take.Edits != nil {
		t.Errorf("%+v", take)
	}
	m.Update(widget.DoMsg{Action: "list.close"})
	shows(t, m, "where its numbers lead")
	m.Update(widget.DoMsg{Action: "list.close"})
	shows(t, m, "stands for")
}

// TestFollowNothing says why something cannot be followed.
func TestFollowNothing(t *testing.T) {
	m := open(t, slow, selection.Examples, 100, 24)
	m.SetRecorded("a recording")
	if look := followed(t, m, numbered("syscall", numberedDims, numberedFacts(800, 812))); look.Leads != nil {
		t.Error("a recording is asked what runs now")
	}
	shows(t, m, "/then when the probe fired", "0x401000  what lies there was not recorded", "a recording")
	m.Update(widget.DoMsg{Action: "why.open"})
	shows(t, m, "thread 812:")
	if m.Why() != "a recording" {
		t.Errorf("it is asked all the same: %q", m.Why())
	}
	m.SetRecorded("")
	look := followed(t, m, numbered("pid800", numberedDims, numberedFacts(800, 0))) // whose arguments are no descriptors
	for _, l := range look.Leads {
		if l.Kind == trace.DescriptorLead {
			t.Errorf("%+v", l)
		}
	}
	if p := picture(m); strings.Contains(p, "thread 0") || !strings.Contains(p, "process 800:") {
		t.Errorf("a CPU that was idle is a thread:\n%s", p)
	}
	followed(t, m, numbered("syscall", numberedDims[:1], numberedFacts(0, 0)[:1]))
	shows(t, m, "which thread fired is not known", "none that is known is a descriptor")
	m.Open(selection.AskMsg{Of: slow, For: selection.Differs}, store(1), script)
	m.Update(widget.DoMsg{Action: "why.follow"})
	if m.Why() != "go to an example to follow it" {
		t.Errorf("why: %q", m.Why())
	}
}
