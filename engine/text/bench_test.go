package text_test

import (
	"io"
	"testing"

	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

// BenchmarkEvents prints one event with its columns, a number and a text.
func BenchmarkEvents(b *testing.B) {
	batch := make([]trace.Event, 256)
	for i := range batch {
		batch[i] = trace.Event{CPU: 3, Probe: trace.Probe{ID: 123, Function: "read", Name: "entry"}, Items: []trace.Item{
			{Value: trace.Value{Kind: trace.IntValue, Size: 8, Int: 4096}},
			{Kind: trace.PrintfItem, Text: "dd read\n"},
		}}
	}
	p := text.New(io.Discard, io.Discard, text.Options{})
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(batch) {
		p.Events(batch[:min(len(batch), b.N-i)])
	}
}
