package export

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// writeCSV writes a line for each key, or for each bucket of it (RFC 4180). All lines have
// the same columns: which aggregation, its keys, from where to where a bucket reaches, and
// the value. A bucket without an end has none in its column.
func writeCSV(out io.Writer, tables []trace.Table, _ *state) error {
	var names []string
	for i := range tables {
		if own := keyNames(&tables[i]); len(own) > len(names) {
			names = own
		}
	}
	if len(tables) > 1 { // in which a column has keys of several names
		for i := range names {
			names[i] = fmt.Sprintf("key%d", i+1)
		}
	}
	w := csv.NewWriter(out)
	w.Write(append(append([]string{"aggregation", "function"}, names...), "low", "high", "value"))
	for i := range tables {
		t := &tables[i]
		for j := range t.Rows {
			r := &t.Rows[j]
			line := []string{"@" + t.Name, t.Func.String()}
			for k := range names {
				key := ""
				if k < len(r.Keys) {
					key = keyText(&r.Keys[k])
				}
				line = append(line, key)
			}
			if !t.Func.IsHistogram() {
				w.Write(append(line, "", "", amount(t, r)))
				continue
			}
			for _, b := range r.Buckets {
				w.Write(append(line[:len(line):len(line)], bound(b.Low, math.MinInt64), bound(b.High, math.MaxInt64), strconv.FormatInt(spell.Bucketed(b.Count, t.Normal), 10)))
			}
		}
	}
	w.Flush()
	return w.Error()
}

// bound writes an end of a bucket; "" if it has none.
func bound(n, none int64) string {
	if n == none {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// writeMarkdown writes a table for each aggregation, as GitHub's Markdown has them. Of
// histograms each bucket is a row.
func writeMarkdown(out io.Writer, tables []trace.Table, _ *state) error {
	b := bufio.NewWriter(out)
	for i := range tables {
		t := &tables[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "### %s\n\n", marked(title(t)))
		names := keyNames(t)
		row := func(cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
		var head, rule []string
		for _, n := range names {
			head, rule = append(head, marked(n)), append(rule, "---")
		}
		if t.Func.IsHistogram() {
			head, rule = append(head, "value"), append(rule, "---:")
		}
		row(append(head, t.Func.String())...)
		row(append(rule, "---:")...)
		for j := range t.Rows {
			r := &t.Rows[j]
			var cells []string
			for k := range names {
				key := ""
				if k < len(r.Keys) {
					key = marked(keyText(&r.Keys[k]))
				}
				cells = append(cells, key)
			}
			if !t.Func.IsHistogram() {
				row(append(cells, amount(t, r))...)
			}
			for _, x := range r.Buckets {
				row(append(cells[:len(names):len(names)], marked(x.Label), strconv.FormatInt(spell.Bucketed(x.Count, t.Normal), 10))...)
			}
		}
	}
	return b.Flush()
}

// marks are the characters by which Markdown or HTML would take data for something else.
var marks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"#", `\#`, "~", `\~`, "\n", " ", "\r", " ", "\t", " ")

// marked makes a text one of Markdown.
func marked(s string) string { return marks.Replace(s) }
