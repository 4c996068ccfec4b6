package export

import (
	"testing"

	"dscope.dev/engine/trace"
)

// FuzzDurations has any script and anything printed: what is found is a duration that was
// printed, and nothing breaks.
func FuzzDurations(f *testing.F) {
	f.Add(`BEGIN { printf("%-10s %5d us\n", execname, (timestamp - self->ts) / 1000); }`, "dd           250 us\n")
	f.Add(`BEGIN { this->d = timestamp - ts; trace(this->d); printf("%%%d", this->d); }`, "%42")
	f.Add(`BEGIN { printf("%*d (%s) [%.*s", 3, timestamp - a, x, 4, y); }`, " 42")
	f.Fuzz(func(t *testing.T, script, text string) {
		d := durationsOf(script)
		for clause := range uint32(3) {
			n, ok := d.of(&trace.Event{Clause: clause, Items: []trace.Item{
				{Kind: trace.PrintfItem, Text: text}, {Kind: trace.ValueItem, Value: trace.Value{Int: int64(len(text))}}}})
			if n < 0 || !ok && n != 0 {
				t.Errorf("%q printed %q: %d, %v", script, text, n, ok)
			}
		}
	})
}
