package loss

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/outline"
	"dscope.dev/engine/trace"
)

// CutStack is the kind of stacks that are deeper than what was asked for, which a run does
// not count: they are found in its tables, as are strings that are cut.
const CutStack trace.DropKind = 255

// A bound is an option that cuts what keys hold.
type bound struct {
	option string
	usual  int // where the script says nothing
	most   int
	kind   trace.DropKind
	key    string // how the script writes such a key; "" is any
}

var bounds = []bound{
	{"strsize", 256, 4096, trace.DropString, ""},
	{"stackframes", 20, 127, CutStack, "stack()"},
	{"ustackframes", 100, 127, CutStack, "ustack()"},
}

// Cut finds what is cut in the keys of a snapshot of a script: strings and stacks that
// are as long as they may be. It takes the longer the more keys there are.
func Cut(script string, s trace.Snapshot) (lines []Line) {
	for _, b := range bounds {
		limit := b.usual
		if n, ok := outline.Size(script, b.option); ok && n > 0 {
			limit = n
		}
		for i := range s.Aggs {
			t := &s.Aggs[i]
			if n := b.count(t, limit); n > 0 {
				l := Line{Kind: b.kind, Count: n, Where: "keys of @" + t.Name, Since: -1}
				if more := min(max(2*limit, b.usual), b.most); more > limit { // no less than is usual
					l.Cure = fmt.Sprintf("%s=%d", b.option, more)
				}
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// count returns how many keys of t are as long as the limit allows.
func (b bound) count(t *trace.Table, limit int) (n uint64) {
	for k := range t.KeyTypes {
		if b.key != "" && strings.ReplaceAll(t.KeyName(k), " ", "") != b.key {
			continue
		}
		for r := range t.Rows {
			if k < len(t.Rows[r].Keys) && length(&t.Rows[r].Keys[k], b.kind) >= limit {
				n++
			}
		}
	}
	return n
}

// length returns what a limit of that kind counts of a value.
func length(v *trace.Value, kind trace.DropKind) int {
	if kind == trace.DropString {
		if v.Kind == trace.StringValue {
			return len(v.Str)
		}
		return 0
	}
	n := 0
	if v.Kind == trace.StackValue || v.Kind == trace.UstackValue {
		for i := range v.Frames {
			if !v.Frames[i].Inlined { // those have no frame of their own
				n++
			}
		}
	}
	return n
}
