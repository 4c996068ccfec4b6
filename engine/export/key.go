package export

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// keyNames returns what the keys of an aggregation are called: as the script writes them,
// or by their number, all different.
func keyNames(t *trace.Table) []string {
	n := len(t.KeyTypes)
	for i := range t.Rows {
		n = max(n, len(t.Rows[i].Keys))
	}
	var out []string
	for i := range n {
		name := safe(t.KeyName(i))
		if name == "" || slices.Contains(out, name) {
			name = fmt.Sprintf("key%d", i+1)
		}
		out = append(out, name)
	}
	return out
}

// keyText returns a key on one line: of a stack all its frames, the innermost first.
func keyText(v *trace.Value) string {
	if !isStack(v) {
		return safe(spell.Line(v))
	}
	list := make([]string, len(v.Frames))
	for i, f := range v.Frames {
		list[i] = f.String()
	}
	return safe(strings.Join(list, " < "))
}

func isStack(v *trace.Value) bool {
	return v.Kind == trace.StackValue || v.Kind == trace.UstackValue
}

// safe spells what a terminal would not just draw.
func safe(s string) string { return string(text.AppendSafe(nil, s, true)) }

// amount is the value of a row that is no histogram, in digits.
func amount(t *trace.Table, r *trace.Row) string {
	return string(spell.AppendAmount(nil, t.Func, spell.Shown(t, r)))
}
