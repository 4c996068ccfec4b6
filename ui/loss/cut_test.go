package loss

import (
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// TestCut finds keys that are as long as they may be, by what the script says and by what
// is usual; what the script asks for itself, stack(3), is as it is wanted.
func TestCut(t *testing.T) {
	str := func(n int) trace.Value { return trace.Value{Kind: trace.StringValue, Str: strings.Repeat("x", n)} }
	stack := func(frames, inlined int) trace.Value {
		v := trace.Value{Kind: trace.StackValue, Frames: make([]trace.Frame, frames+inlined)}
		for i := range inlined {
			v.Frames[i].Inlined = true
		}
		return v
	}
	agg := func(name, key string, rows ...trace.Value) trace.Table {
		table := trace.Table{Name: name, KeyTypes: []string{"?"}, Origins: []trace.Origin{{Keys: []string{key}}}}
		for _, v := range rows {
			table.Rows = append(table.Rows, trace.Row{Keys: []trace.Value{v}})
		}
		return table
	}
	s := trace.Snapshot{Aggs: []trace.Table{
		agg("s", "args[0]->name", str(3), str(255), str(256), str(10)),
		agg("k", "stack( )", stack(19, 0), stack(20, 0), stack(19, 4)),
		agg("three", "stack(20)", stack(20, 0)),
	}}
	for _, tt := range []struct {
		script string
		want   []Line
	}{
		{"", []Line{{trace.DropString, 1, "keys of @s", -1, "strsize=512"}, {CutStack, 1, "keys of @k", -1, "stackframes=40"}}},
		{"#pragma D option strsize=10\n#pragma D option stackframes=64", []Line{{trace.DropString, 3, "keys of @s", -1, "strsize=256"}}},
		{"#pragma D option strsize=4k", []Line{{CutStack, 1, "keys of @k", -1, "stackframes=40"}}},
	} {
		got := Cut(tt.script, s)
		if len(got) != len(tt.want) {
			t.Fatalf("%q: %+v", tt.script, got)
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%q: %+v, want %+v", tt.script, got[i], tt.want[i])
			}
		}
	}
	if got := (Line{Kind: CutStack, Count: 2, Where: "keys of @k", Since: -1, Cure: "stackframes=40"}).Sentence(); got != "2 stacks in keys of @k are as deep as they may be. Frames further out are not kept." {
		t.Errorf("it says %s", got)
	}
}
