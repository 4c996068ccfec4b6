package outside

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

func TestDump(t *testing.T) {
	var b bytes.Buffer
	d := dump{w: &b}
	p := &trace.Packet{Time: time.Unix(3, 7), Proto: 12, Length: 60, Data: "E\x00"}
	for range 2 {
		if err := d.packet(p); err != nil {
			t.Fatal(err)
		}
	}
	packet := "\x03\x00\x00\x00" + "\x07\x00\x00\x00" + "\x02\x00\x00\x00" + "\x3c\x00\x00\x00" + "E\x00"
	want := "\x4d\x3c\xb2\xa1" + "\x02\x00" + "\x04\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x04\x00" + "\x65\x00\x00\x00" + packet + packet
	if got := b.String(); got != want {
		t.Errorf("wrote\n%x, want\n%x", got, want)
	}
	if err := d.packet(&trace.Packet{Proto: 1}); err == nil {
		t.Error("packets of two protocols went into one file")
	}
}

func TestFiles(t *testing.T) {
	w, name := New(io.Discard), filepath.Join(t.TempDir(), "out")
	for _, text := range []string{"one\n", "two\n"} {
		f, err := w.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, text)
		if text == "two\n" {
			if got, _ := os.ReadFile(name); string(got) != "one\ntwo\n" {
				t.Errorf("the file holds %q", got)
			}
			if err := w.Truncate(f); err != nil {
				t.Error(err)
			}
			io.WriteString(f, "three\n")
		}
		f.Close()
	}
	if got, _ := os.ReadFile(name); string(got) != "three\n" {
		t.Errorf("after ftruncate() the file holds %q", got)
	}
	if err := w.Truncate(&bytes.Buffer{}); err != nil {
		t.Errorf("ftruncate() of what is no file: %v", err)
	}
	if _, err := w.Open(filepath.Join(name, "below")); err == nil || strings.Contains(err.Error(), name) {
		t.Errorf("the error repeats the name: %v", err)
	}
}

func TestPacketsGoIntoTheirFiles(t *testing.T) {
	w, name := New(io.Discard), filepath.Join(t.TempDir(), "p.pcap")
	for range 2 {
		if done, err := w.Packet(&trace.Packet{Proto: 1, Data: "data"}, name); !done || err != nil {
			t.Fatal(done, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	w = New(io.Discard) // another run adds to the file
	if done, err := w.Packet(&trace.Packet{Proto: 1}, name); !done || err != nil {
		t.Error(done, err)
	}
	if _, err := w.Packet(&trace.Packet{Proto: 12}, name); err == nil {
		t.Error("packets of two protocols went into one file")
	}
	words := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(words, []byte("\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if done, err := w.Packet(&trace.Packet{Proto: 1}, words); !done || err == nil {
		t.Errorf("a packet went behind words: %v, %v", done, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != 24+2*(16+4)+16 {
		t.Errorf("%v, %v", info, err)
	}
}

// A fakeRun delivers what it was made with.
type fakeRun struct {
	trace.Run
	events chan []trace.Event
}

func (r *fakeRun) Events() <-chan []trace.Event { return r.events }
func (r *fakeRun) Close() error                 { close(r.events); return nil }

func TestKeep(t *testing.T) {
	from := &fakeRun{events: make(chan []trace.Event, 1)}
	from.events <- []trace.Event{{Items: []trace.Item{
		{Kind: trace.PrintfItem, Text: "echo no"},
		{Kind: trace.SystemItem, Text: "echo yes; echo oh >&2; exit 2"},
		{Kind: trace.SystemItem, Text: "head -c 70000 /dev/zero | tr '\\0' x"},
	}}}
	run := Keep(from)
	items := (<-run.Events())[0].Items
	if items[0].Rest().Output != "" {
		t.Errorf("a printf ran: %q", items[0].Rest().Output)
	}
	if want := "yes\noh\n[exit status 2]\n"; items[1].Rest().Output != want {
		t.Errorf("kept %q, want %q", items[1].Rest().Output, want)
	}
	if got := items[2].Rest().Output; !strings.HasSuffix(got, "x\n[4464 bytes more]\n") || len(got) > keepBytes+100 {
		t.Errorf("kept %d bytes that end with %q", len(got), got[len(got)-30:])
	}
	if err := run.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := <-run.Events(); ok {
		t.Error("events after the end")
	}
}

func TestKeepEndsACommandWhenClosed(t *testing.T) {
	from := &fakeRun{events: make(chan []trace.Event, 1)}
	from.events <- []trace.Event{{Items: []trace.Item{{Kind: trace.SystemItem, Text: "exec sleep 1000"}}}}
	run := Keep(from)
	closed := make(chan error)
	go func() { closed <- run.Close() }()
	select {
	case <-closed:
	case <-time.After(8 * time.Second):
		t.Fatal("closing waits for the command")
	}
}
