package old

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

func zipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

// read reads all messages.
func read(b []byte) (list []wire.Message, err error) {
	err = Read(bytes.NewReader(b), func(m wire.Message) error {
		list = append(list, m)
		return nil
	})
	return list, err
}

const (
	head = `{"format":"dscope recording","version":1}` + "\n"
	run  = `{"run":{"script":"x","start":1}}` + "\n"
)

// TestRead reads each kind of line, with all names that they have.
func TestRead(t *testing.T) {
	got, err := read(zipped(`{"format":"dscope recording","version":2,"made":"2026-01-02T03:04:05Z","kernel":"6.18","machine":"amd64"}` + "\n" +
		`{"providers":[{"n":"syscall","h":"calls","u":"no","p":true}]}` + "\n" +
		`{"probes":[{"i":1,"p":"a","m":"b","f":"c","n":"d"}]}` + "\n" +
		`{"info":{"p":{"i":1},"a":[{"n":"fd","t":"int"}],"h":"help","k":"hook","u":"no"}}` + "\n" +
		run + `{"origins":[[{"c":1,"f":"h","l":2,"a":3,"z":4,"k":["execname"],"g":"t","d":[{"n":"file","e":"f","k":true}]}]]}` + "\n" +
		`{"at":1,"snap":{"q":2,"t":3,"e":4,"d":5,"a":[{"n":"x","f":6,"t":["string"],"p":[1,2],"d":3,"sk":true,"sp":1,"sr":true,"o":1,"r":[` +
		`{"id":{"b":"/w=="},"k":[{"k":2,"z":1,"i":-5,"s":"key","f":[{"a":1,"m":"m","s":"s","o":2,"r":true,"i":true,"y":true}]}],"v":-9,"c":18446744073709551615,"b":[{"t":"1","l":1,"h":2,"c":3}],"p":[{"c":1,"v":2,"b":[{"c":4}]}]}]}],` +
		`"x":{"l":[{"a":0,"o":0,"t":7,"p":1,"c":2,"v":3,"w":1.5,"f":[{"k":5,"n":1},{"i":4}]}],"s":[[{"a":9}]],"p":[{"n":"entry"}]}}}` + "\n" +
		`{"at":2,"events":[{"k":1,"t":8,"c":3,"p":{"i":1},"l":4,"x":5,"d":{"k":1,"c":-1,"n":2,"w":"@x","f":"aggsize=1"},"f":{"k":1,"a":2,"e":3,"n":4,"l":5,"p":6,"f":"g"},` +
		`"i":[{"k":1,"t":"text","v":{"i":1},"g":[{"i":2}],"a":[{"n":"x","o":1}],"n":["x"],"o":"out","p":{"t":1,"p":2,"n":3,"d":"bytes"}}]}]}` + "\n" +
		`{"at":3,"status":{"s":4,"e":1,"n":2,"r":3.5,"p":4,"d":[{"k":1}],"x":5,"xd":true,"err":"detached","h":["h"],"m":["m"],"a":{"s":0.5,"l":0.25},"c":{"w":1,"s":0.5,"h":2,"c":[{"c":1,"h":2,"n":3,"s":4}]},"b":{"c":{"w":9},"n":8,"a":true,"l":0.5}}}` + "\n" +
		`{"at":4,"end":true}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	origins := []trace.Origin{{Clause: 1, File: "h", Line: 2, From: 3, To: 4, Keys: []string{"execname"}, Arg: "t", Dims: []trace.Dimension{{Name: "file", Expr: "f", Key: true}}}}
	want := []wire.Message{
		&wire.Hello{Made: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kernel: "6.18", Machine: "amd64"},
		&wire.Providers{List: []trace.ProviderInfo{{Name: "syscall", Help: "calls", Unavailable: "no", Processes: true}}},
		&wire.Probes{List: []trace.Probe{{ID: 1, Provider: "a", Module: "b", Function: "c", Name: "d"}}},
		&wire.Infos{List: []trace.ProbeInfo{{Probe: trace.Probe{ID: 1}, Args: []trace.Arg{{Name: "fd", Type: "int"}}, Help: "help", Hook: "hook", Unavailable: "no"}}},
		&wire.Begin{Run: 1, Script: trace.Script{Text: "x"}, Began: time.Unix(0, 1)},
		&wire.Snapshot{At: 1, Snapshot: trace.Snapshot{Seq: 2, Time: time.Unix(0, 3), Elapsed: 4, Drops: 5,
			Aggs: []trace.Table{{Name: "x", Func: trace.Quantize, KeyTypes: []string{"string"}, Params: []int64{1, 2}, Normal: 3, Sorted: trace.Sorted{ByKey: true, KeyPos: 1, Rev: true}, Origins: origins,
				Rows: []trace.Row{{ID: "\xff", Keys: []trace.Value{{Kind: trace.StringValue, Size: 1, Int: -5, Str: "key", Frames: []trace.Frame{{Addr: 1, Module: "m", Symbol: "s", Offset: 2, Raw: true, Inlined: true, Script: true}}}},
					Value: -9, Count: 1<<64 - 1, Buckets: []trace.Bucket{{Label: "1", Low: 1, High: 2, Count: 3}}, PerCPU: []trace.Share{{CPU: 1, Value: 2, Buckets: []trace.Bucket{{Count: 4}}}}}}}},
			Examples: []trace.Example{{Time: time.Unix(0, 7), Probe: trace.Probe{Name: "entry"}, CPU: 2, Value: 3, Weight: 1.5, Facts: []trace.Value{{Kind: trace.UstackValue, Frames: []trace.Frame{{Addr: 9}}}, {Int: 4}}}}}},
		&wire.Events{At: 2, List: []trace.Event{{Kind: trace.DropEvent, Time: time.Unix(0, 8), CPU: 3, Probe: trace.Probe{ID: 1}, Clause: 4, Exit: 5,
			Drop:  trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 2, Where: "@x", Cure: "aggsize=1"},
			Fault: trace.Fault{Kind: trace.FaultBadAddr, Addr: 2, EPID: 3, Action: 4, Line: 5, PC: 6, File: "g"},
			Items: []trace.Item{{Kind: trace.PrintfItem, Text: "text", Value: trace.Value{Int: 1}, Rare: &trace.Rare{Args: []trace.Value{{Int: 2}}, Tables: []trace.Table{{Name: "x", Origins: origins}},
				Names: []string{"x"}, Output: "out", Packet: &trace.Packet{Time: time.Unix(0, 1), Proto: 2, Length: 3, Data: "bytes"}}}}}}},
		&wire.Status{At: 3, Status: trace.Status{State: trace.Failed, Elapsed: 1, Events: 2, Rate: 3.5, Probes: 4, Drops: []trace.Drop{{Kind: trace.DropAggregation}}, Exit: 5, Exited: true,
			Err: &trace.DearError{Share: 0.5, Limit: 0.25}, Hooks: []string{"h"}, Missing: []string{"m"}, Cost: trace.Cost{Window: 1, Share: 0.5, Hits: 2, Clauses: []trace.ClauseCost{{Clause: 1, Hits: 2, Nanos: 3, Share: 4}}},
			Before: trace.Estimate{Cost: trace.Cost{Window: 9}, CPUs: 8, Least: true, Limit: 0.5}}},
		&wire.End{At: 4},
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages", len(got))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("read\n\t%+v\nwant\n\t%+v", got[i], want[i])
		}
	}
}

// TestBadFilesAreRefused reads what is wrong, line by line.
func TestBadFilesAreRefused(t *testing.T) {
	snap := func(of string) string {
		return head + run + `{"origins":[[{"l":1}]]}` + "\n" + `{"at":1,"snap":` + of + `}`
	}
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", "it is empty"},
		{"something else", "{}\n", "line 1: not a recording of dscope"},
		{"older than the first", `{"format":"dscope recording"}`, "line 1: version 0"},
		{"newer", `{"format":"dscope recording","version":9}`, "line 1: version 9"},
		{"origins of nothing", head + `{"origins":[[{"l":1}]]}` + "\n", "line 2: origins are told before a run begins"},
		{"unknown origin", snap(`{"a":[{"o":2}]}`), "line 4: an aggregation has the unknown origin 2"},
		{"origin of a run before", head + run + `{"origins":[[{"l":1}]]}` + "\n" + run + `{"at":1,"events":[{"i":[{"a":[{"o":1}]}]}]}`, "line 5: an aggregation has the unknown origin 1"},
		{"example of no aggregation", snap(`{"a":[{}],"x":{"l":[{"a":1,"w":1}]}}`), "line 4: an example of the unknown aggregation 1"},
		{"example of no place", snap(`{"a":[{"n":"t","o":1}],"x":{"l":[{"o":1,"w":1}]}}`), "line 4: an example of the unknown place 1 of @t"},
		{"example of no probe", snap(`{"a":[{}],"x":{"l":[{"p":1,"w":1}]}}`), "line 4: an example of the unknown probe 1"},
		{"example of no stack", snap(`{"a":[{}],"x":{"l":[{"w":1,"f":[{"n":1}]}]}}`), "line 4: an example with the unknown stack 1"},
		{"example of nothing", snap(`{"a":[{}],"x":{"l":[{"w":0.5}]}}`), "line 4: an example of the weight 0.5"},
		{"unknown fact", snap(`{"a":[{}],"x":{"l":[{"w":1,"f":[{"k":77}]}]}}`), "line 4: a value of the unknown kind 77"},
		{"unknown function", snap(`{"a":[{"f":77}]}`), "line 4: aggregation @ has the unknown function 77"},
		{"no JSON", head + "hello\n", "line 2: invalid character"},
		{"nothing", head + run + `{"at":1,"events":[null]}`, "line 3: <nil> where a trace.Event should be"},
		{"unknown name", head + `{"colour":1}` + "\n", `line 2: unknown field "colour"`},
		{"two values", head + `{"end":true} {"end":true}` + "\n", "line 2: more than one value"},
		{"no run", head + `{"at":1,"snap":{"q":1}}` + "\n", "line 2: something is delivered before a run begins"},
		{"unknown kind", head + run + `{"at":1,"events":[{"k":9}]}`, "line 3: an event of the unknown kind 9"},
		{"unknown item", head + run + `{"at":1,"events":[{"i":[{"k":99}]}]}`, "line 3: an item of the unknown kind 99"},
		{"unknown state", head + run + `{"at":1,"status":{"s":9}}`, "line 3: the unknown state 9"},
		{"back in time", head + run + `{"at":5,"status":{}}` + "\n" + `{"at":4,"status":{}}`, "line 4: delivered at 4ns, after 5ns"},
		{"number too large", head + run + `{"at":1,"status":{"s":300}}`, "line 3: number 300 does not fit a trace.State"},
		{"text for a number", head + run + `{"at":"1"}`, "line 3: a string where a int64 should be"},
	} {
		if _, err := read(zipped(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestBombsAreRefused reads lines that are longer than lines are, and one that is not but
// would become very many objects: they are refused before that.
func TestBombsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		begin, again, want string
		times              int
	}{
		{`{"providers":[{"n":"`, strings.Repeat("a", 1<<20), "line 2: longer than 64 MiB", 80},
		{`{"events":[{}`, strings.Repeat(",{}", 1<<18), "line 2: it would take more than 1024 MiB of memory", 60},
	} {
		var file bytes.Buffer
		w := gzip.NewWriter(&file)
		io.WriteString(w, head+tt.begin)
		for range tt.times {
			io.WriteString(w, tt.again)
		}
		io.WriteString(w, "\n")
		w.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := read(file.Bytes()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 300<<20 {
			t.Errorf("%s…: %d MB were allocated", tt.begin, n>>20)
		}
	}
}

// TestDamageIsSeen turns each bit of a recording in turn, cuts it and adds to it.
func TestDamageIsSeen(t *testing.T) {
	const text = head + run + `{"at":1,"snap":{"q":2660}}` + "\n" + `{"at":2,"end":true}` + "\n"
	whole := zipped(text)
	want, err := read(whole)
	if err != nil {
		t.Fatal(err)
	}
	const header = 10 // of gzip, whose time and system nobody reads
	for at := header; at < len(whole); at++ {
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[at] ^= 1 << bit
			// The last byte that is packed has bits to spare.
			if got, err := read(b); err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("bit %d of byte %d was turned, and nobody said so", bit, at)
			}
		}
	}
	if _, err := read(append(bytes.Clone(whole), 0)); err == nil || !strings.Contains(err.Error(), "damaged behind line 4: something follows it") {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := read(whole[:len(whole)-8]); !errors.Is(err, ErrBrokenOff) {
		t.Errorf("cut: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + run + `{"at":1,"snap":{"a":[{}],"x":{"l":[{"w":1,"p":1,"f":[{"n":1},{"i":3}]}],"s":[[{"a":1}]],"p":[{"i":1}]}}}`))
	f.Add([]byte(head + run + `{"at":1,"events":[{"i":[{"k":1,"t":{"b":"/w=="}}]}]}`))
	f.Add([]byte(head + `{"probes":[{"i":1,"p":"a"}]}` + "\n" + `{"info":{"p":{}}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		list, err := read(zipped(string(lines)))
		for _, m := range list {
			if wrong := wire.Check(m); wrong != nil {
				t.Errorf("%v came through (%v)", wrong, err)
			}
		}
	})
}

// TestRecorded reads a recording that dscope made of a real kernel.
func TestRecorded(t *testing.T) {
	b, err := os.ReadFile("../../../testdata/runs/kinds.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	list, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	count := map[reflect.Type]int{}
	for _, m := range list {
		count[reflect.TypeOf(m)]++
	}
	if count[reflect.TypeFor[*wire.Begin]()] != 1 || count[reflect.TypeFor[*wire.End]()] != 1 || count[reflect.TypeFor[*wire.Snapshot]()] < 10 {
		t.Errorf("it has %v", count)
	}
}
