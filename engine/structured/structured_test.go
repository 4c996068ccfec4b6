package structured_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/golden"
	"dscope.dev/engine/structured"
	"dscope.dev/engine/trace"
)

// happenings are events by name, of which the archives make runs.
var happenings = map[string]trace.Event{
	"trace":    firing(trace.Item{Value: integer(-3)}, trace.Item{Value: trace.Value{Kind: trace.UintValue, Size: 8, Int: -1}}),
	"text":     firing(trace.Item{Value: words("two\nlines, \"quoted\" & <tagged>")}),
	"hostile":  firing(trace.Item{Value: words("\x1b[2J\x00\x7f\u2028\xff]]>")}),
	"printf":   firing(trace.Item{Kind: trace.PrintfItem, Text: "7 of cat\n", Rare: &trace.Rare{Args: []trace.Value{integer(7), words("cat")}}}),
	"stack":    firing(trace.Item{Kind: trace.StackItem, Value: trace.Value{Kind: trace.StackValue, Frames: frames}}),
	"script":   firing(trace.Item{Kind: trace.StackItem, Value: trace.Value{Kind: trace.UstackValue, Int: 9, Frames: []trace.Frame{{Module: "shop.py", Symbol: "total", Offset: 12, Script: true}}}}),
	"ustack":   firing(trace.Item{Kind: trace.StackItem, Value: trace.Value{Kind: trace.UstackValue, Int: 9, Frames: frames[:1]}}),
	"sym":      firing(trace.Item{Kind: trace.SymItem, Text: "sym", Value: trace.Value{Kind: trace.SymValue, Str: "vmlinux`vfs_read+0x12", Frames: frames[:1]}}),
	"umod":     firing(trace.Item{Kind: trace.SymItem, Text: "umod", Value: trace.Value{Kind: trace.SymValue, Str: "libc.so.6"}}),
	"bytes":    firing(trace.Item{Kind: trace.BytesItem, Value: trace.Value{Kind: trace.BytesValue, Str: "\x00\xffA"}}),
	"printa":   firing(trace.Item{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: []trace.Table{counts, sizes}, Names: []string{"n", "sizes"}}}),
	"format":   firing(trace.Item{Kind: trace.PrintaItem, Text: "cat 2\n", Rare: &trace.Rare{Tables: []trace.Table{counts}, Names: []string{"n"}}}),
	"system":   firing(trace.Item{Kind: trace.SystemItem, Text: "date", Rare: &trace.Rare{Output: "today\n"}}),
	"print":    firing(trace.Item{Kind: trace.PrintItem, Text: "int 3\n"}),
	"packet":   firing(trace.Item{Kind: trace.PcapItem, Rare: &trace.Rare{Packet: &trace.Packet{Time: at, Proto: 1, Length: 60, Data: "\x01\x02"}}}),
	"reopen":   firing(trace.Item{Kind: trace.FreopenItem, Text: "/tmp/x"}, trace.Item{Kind: trace.FtruncateItem}),
	"warning":  firing(trace.Item{Kind: trace.WarnItem, Text: "cannot"}),
	"nothing":  firing(),
	"clear":    firing(trace.Item{Kind: trace.EmptyItem}),
	"drop":     {Kind: trace.DropEvent, Time: at, Drop: trace.Drop{Kind: trace.DropDynamic, CPU: 1, Count: 3}},
	"fault":    {Kind: trace.FaultEvent, Time: at, CPU: 1, Probe: read, Fault: trace.Fault{Kind: trace.FaultBadAddr, Addr: 0x10, EPID: 2, Action: 1, Line: 4}},
	"exit":     {Kind: trace.ExitEvent, Time: at, Exit: 3},
	"notice":   {Kind: trace.NoticeEvent, Time: at, Items: []trace.Item{{Kind: trace.EmptyItem, Text: "added 2 probes of shop*:shop"}}},
	"weights":  firing(trace.Item{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: []trace.Table{odd}}}),
	"nameless": firing(trace.Item{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: []trace.Table{{Func: trace.Stddev, Normal: 2, Rows: []trace.Row{{Value: 8, Count: 5}}}}}}),
}

var (
	at     = time.Unix(1700000000, 123)
	read   = trace.Probe{ID: 17, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}
	frames = []trace.Frame{{Addr: 0x1012, Module: "vmlinux", Symbol: "vfs_read", Offset: 0x12}, {Addr: 0x99}}
	counts = trace.Table{Name: "n", Func: trace.Count, KeyTypes: []string{"string"}, Normal: 1,
		Rows: []trace.Row{{Keys: []trace.Value{words("cat")}, Value: 2, Count: 2}}}
	sizes = trace.Table{Name: "sizes", Func: trace.Quantize, KeyTypes: []string{"string", "stack()"}, Normal: 1,
		Origins: []trace.Origin{{Clause: 2, Line: 3, File: "a.d", From: 1, To: 9, Keys: []string{"execname", "stack()"}, Arg: "arg2\x9b"}},
		Rows: []trace.Row{{Keys: []trace.Value{words("cat"), {Kind: trace.StackValue, Frames: frames}}, Value: 1,
			Buckets: []trace.Bucket{{Label: "1", Low: 1, High: 1}, {Label: "2", Low: 2, High: 3, Count: 1}, {Label: "4", Low: 4, High: 7}}}}}
	odd = trace.Table{Name: "odd", Func: trace.Lquantize, Normal: 10,
		Rows: []trace.Row{{Value: 30, Buckets: []trace.Bucket{{Label: "< 0", Low: -1 << 63, High: -1, Count: -20}, {Label: ">= 0", High: 1<<63 - 1, Count: 50}}}}}
)

func integer(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 4, Int: n} }
func words(s string) trace.Value  { return trace.Value{Kind: trace.StringValue, Str: s} }

func firing(items ...trace.Item) trace.Event {
	return trace.Event{Time: at, CPU: 1, Probe: read, Clause: 2, Items: items}
}

// The archives name what happens, a line each; "end" ends the run with the
// aggregations n and odd unprinted, "fail" ends it with an error.
func TestArchives(t *testing.T) {
	form := func(o structured.Options) func([]byte) []byte {
		o.Now = func() time.Time { return at }
		return func(in []byte) []byte { return play(t, string(in), o) }
	}
	golden.Run(t, "../../testdata/structured/*.txtar", map[string]func([]byte) []byte{
		"json":   form(structured.Options{Form: structured.JSON, Pretty: true}),
		"all":    form(structured.Options{Form: structured.JSON, Aggs: true}),
		"xml":    form(structured.Options{Form: structured.XML, Pretty: true, Aggs: true}),
		"html":   form(structured.Options{Form: structured.HTML, Aggs: true}),
		"ndjson": form(structured.Options{Form: structured.NDJSON}),
	})
}

func play(t *testing.T, script string, o structured.Options) []byte {
	var out bytes.Buffer
	p := structured.New(&out, o)
	var err error
	for line := range strings.Lines(script) {
		switch name := strings.TrimSpace(line); name {
		case "end":
			err = p.End(trace.Status{State: trace.Done, Elapsed: 5, Events: 3, Probes: 2}, []trace.Table{counts, odd, {Name: "empty"}})
		case "fail":
			err = p.End(trace.Status{State: trace.Failed, Err: errors.New("no more")}, nil)
		default:
			e, ok := happenings[name]
			if !ok {
				t.Fatalf("nothing is called %q", name)
			}
			err = p.Events([]trace.Event{e})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		value  string
		form   structured.Form
		pretty bool
		bad    bool
	}{
		{value: "text"}, {value: "JSON", form: structured.JSON}, {value: "xml,pretty", form: structured.XML, pretty: true},
		{value: "html,warn", form: structured.HTML}, {value: "ndjson", form: structured.NDJSON},
		{value: "", bad: true}, {value: "yaml", bad: true}, {value: "json,prety", bad: true},
	} {
		form, pretty, err := structured.Parse(tt.value)
		if form != tt.form || pretty != tt.pretty || (err != nil) != tt.bad {
			t.Errorf("Parse(%q) = %v, %v, %v", tt.value, form, pretty, err)
		}
	}
}

// FuzzText prints any bytes as a traced string: every form stays well-formed, and
// ndjson loses nothing.
func FuzzText(f *testing.F) {
	for _, s := range []string{"plain", "\x00\x1b\xff", "]]><&\"'", "\u2028\ufffe\u0085\r\n", "\\x9b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := firing(trace.Item{Value: words(s)})
		e.Probe.Function = s
		print := func(o structured.Options) []byte {
			var out bytes.Buffer
			p := structured.New(&out, o)
			if err := errors.Join(p.Events([]trace.Event{e}), p.End(trace.Status{}, nil)); err != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		}
		if b := print(structured.Options{Form: structured.JSON}); !json.Valid(b) {
			t.Errorf("not JSON: %s", b)
		}
		for _, form := range []structured.Form{structured.XML, structured.HTML} {
			d := xml.NewDecoder(bytes.NewReader(print(structured.Options{Form: form})))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("form %d: %v", form, err)
				}
			}
		}
		line, _, _ := bytes.Cut(print(structured.Options{Form: structured.NDJSON}), []byte("\n"))
		if got := traced(t, line); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
	})
}

// traced reads the string that a line of ndjson says was traced.
func traced(t *testing.T, line []byte) string {
	var event struct {
		Output []struct{ Value json.RawMessage }
	}
	if err := json.Unmarshal(line, &event); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	raw := event.Output[0].Value
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b struct{ Base64 []byte }
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	return string(b.Base64)
}
