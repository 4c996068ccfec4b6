package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"

	"dscope.dev/engine/trace"
)

// A fakeOutside keeps what it is asked for.
type fakeOutside struct {
	log   []string
	files map[string]*file
	takes bool // packets
}

type file struct{ bytes.Buffer }

func (f *file) Close() error { return nil }

func (o *fakeOutside) System(command string, to io.Writer) error {
	if command == "bad" {
		return errors.New("no shell")
	}
	fmt.Fprintf(to, "<%s>\n", command)
	return nil
}

func (o *fakeOutside) Open(name string) (io.WriteCloser, error) {
	if name == "locked" {
		return nil, syscall.EACCES
	}
	if o.files[name] == nil {
		o.files[name] = &file{}
	}
	return o.files[name], nil
}

func (o *fakeOutside) Truncate(to io.Writer) error {
	to.(*file).Reset()
	return nil
}

func (o *fakeOutside) Packet(p *trace.Packet, file string) (bool, error) {
	o.log = append(o.log, file+":"+p.Data)
	return o.takes, nil
}

func TestOutside(t *testing.T) {
	var out, errs bytes.Buffer
	o := &fakeOutside{files: map[string]*file{}}
	p := New(&out, &errs, Options{Quiet: true, Outside: o})
	probe := trace.Probe{ID: 1, Provider: "dtrace", Name: "BEGIN"}
	item := func(kind trace.ItemKind, text string) trace.Item { return trace.Item{Kind: kind, Text: text} }
	packet := trace.Item{Kind: trace.PcapItem, Rare: &trace.Rare{Packet: &trace.Packet{Data: "pk"}}}
	event := func(items ...trace.Item) trace.Event { return trace.Event{Clause: 2, Probe: probe, Items: items} }
	const say, system, freopen = trace.PrintfItem, trace.SystemItem, trace.FreopenItem
	err := p.Events([]trace.Event{
		event(item(say, "one\n"), item(system, "cmd"), item(say, "two\n"), item(system, "bad")),
		event(item(freopen, "f"), item(say, "lost"), item(trace.FtruncateItem, ""), item(say, "kept\n"), item(system, "in")),
		event(item(freopen, "locked"), item(say, "still f\n"), item(freopen, "."), packet),
		event(item(freopen, ""), item(say, "back\n"), item(trace.WarnItem, "odd")),
		event(item(trace.PcapItem, ""), packet),
	})
	if err != nil {
		t.Fatal(err)
	}
	dump := "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n" +
		"         0: 70 6b                                            pk\n"
	if got, want := out.String(), "one\n<cmd>\ntwo\nback\n"+dump; got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	if got, want := o.files["f"].String(), "kept\n<in>\nstill f\n"+dump; got != want {
		t.Errorf("the file has\n%s\nwant\n%s", got, want)
	}
	const at = "dtrace: error in dt_clause_1 for probe ID 1 (dtrace:::BEGIN): "
	want := at + "couldn't run \"bad\": no shell\n\n" +
		at + "couldn't freopen() \"locked\": permission denied\n\n" +
		at + "couldn't freopen() \".\": is a directory\n\n" + at + "odd\n\n"
	if got := errs.String(); got != want {
		t.Errorf("complained\n%s\nwant\n%s", got, want)
	}

	o.takes = true
	out.Reset()
	if err := p.Events([]trace.Event{event(item(freopen, "p"), packet, item(say, "no packet\n"), packet, item(freopen, ""))}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "no packet\n" || o.files["p"].Len() > 0 || o.log[len(o.log)-1] != "p:pk" {
		t.Errorf("words went into a file of packets: %q, %q, %q", got, o.files["p"], o.log)
	}
}

// A replayed run runs nothing and opens nothing.
func TestNothingOutside(t *testing.T) {
	var out, errs bytes.Buffer
	p := New(&out, &errs, Options{Quiet: true})
	err := p.Events([]trace.Event{{Items: []trace.Item{
		{Kind: trace.SystemItem, Text: "date", Rare: &trace.Rare{Output: "then\n"}}, {Kind: trace.SystemItem, Text: "rm -rf /tmp/x"},
		{Kind: trace.FreopenItem, Text: "/tmp/x"}, {Kind: trace.FtruncateItem},
		{Kind: trace.PrintItem, Text: "value\n"}, {Kind: trace.FreopenItem},
	}}})
	if err != nil || out.String() != "then\nvalue\n" || errs.Len() > 0 {
		t.Errorf("printed %q and %q: %v", out.String(), errs.String(), err)
	}
}
