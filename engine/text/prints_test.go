package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// TestPrints prints firings that share an event as it prints events of their own.
func TestPrints(t *testing.T) {
	probes := []trace.Probe{{ID: 7, Function: "read", Name: "entry"}, {ID: 8, Function: "read", Name: "return"}, {ID: 9, Function: "a\x1bname", Name: "x"}}
	for _, n := range []int{1, 5, 4000} {
		for flags := range 32 {
			on := func(bit int) bool { return flags>>bit&1 != 0 }
			o := Options{Quiet: on(0), Testing: on(1), FlowIndent: on(2), Terminal: on(3)}
			host := ""
			if on(4) {
				host = "web-1"
			}
			p := trace.NewPrints()
			var alone []trace.Event
			for i := range n {
				of := &probes[(i/3)%len(probes)]
				text := fmt.Sprintf("%d: %s", i, strings.Repeat("text ", i%9))
				p.Text = append(p.Text, text...)
				p.List = append(p.List, trace.Print{Probe: of, Clause: 1, End: uint32(len(p.Text))})
				alone = append(alone, trace.Event{CPU: 3, Host: host, Probe: *of, Clause: 1, Items: []trace.Item{{Kind: trace.PrintfItem, Text: text}}})
			}
			last := trace.Event{CPU: 1, Host: host, Probe: probes[0], Items: []trace.Item{{Kind: trace.PrintfItem, Text: "the end"}}}
			var got, want bytes.Buffer
			shared := []trace.Event{{Kind: trace.PrintsEvent, CPU: 3, Host: host, Prints: p}, last}
			if err := New(&got, &got, o).Events(shared); err != nil {
				t.Fatal(err)
			}
			if err := New(&want, &want, o).Events(append(alone, last)); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Fatalf("%d firings, %+v: got\n%.500s\nwant\n%.500s", n, o, got.String(), want.String())
			}
		}
	}
}
