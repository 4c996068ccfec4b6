package picture

import (
	"bufio"
	"fmt"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/widget"
)

// mostRows bounds how many keys of an aggregation a page has the numbers of.
const mostRows = 500

// page writes all figures with their numbers, the script and what was lost. Nothing outside
// of the page is asked for, and its policy forbids it.
func (w *Writer) page(list []*figure) error {
	b := bufio.NewWriter(w.out)
	title := "dscope"
	if len(list) > 0 {
		title = list[0].name() + " – dscope"
	}
	fmt.Fprintf(b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>%s</title>
<style>
%s</style>
</head>
<body>
`, escape(title), w.looks.pageCSS())
	if w.looks.only == nil {
		b.WriteString(`<p class="choice"><label><input type="radio" name="theme" id="auto" checked> auto</label> <label><input type="radio" name="theme" id="dark"> dark</label> <label><input type="radio" name="theme" id="light"> light</label></p>` + "\n")
	}
	if w.o.About != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", escape(w.o.About))
	}
	for _, d := range w.status.Drops {
		if d.Count > 0 {
			fmt.Fprintf(b, "<p><strong>lost: %s</strong></p>\n", escape(spell.Drop(d)))
		}
	}
	for _, f := range list {
		b.WriteString("<figure>\n")
		if err := w.looks.svg(b, f, false); err != nil {
			return err
		}
		b.WriteString("<figcaption><details><summary>numbers</summary>\n")
		numbers(b, &f.table)
		b.WriteString("</details></figcaption>\n</figure>\n")
	}
	if w.o.Script != "" {
		fmt.Fprintf(b, "<details><summary>script</summary>\n<pre>%s</pre>\n</details>\n", escapeLines(w.o.Script))
	}
	b.WriteString("</body>\n</html>\n")
	return b.Flush()
}

// pageCSS returns the rules of the page, and of the figures in both themes if the reader may
// choose.
func (k looks) pageCSS() string {
	const shape = `body{margin:2em auto;max-width:960px;font:14px/1.4 system-ui,sans-serif}
figure{margin:0 0 2em}
svg{max-width:100%;height:auto}
table{border-collapse:collapse;font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
th,td{border-bottom:1px solid;padding:1px 8px;text-align:left}
td.r,th.r{text-align:right}
pre{overflow:auto}
.a,.c{fill:none}
`
	if k.only != nil {
		return shape + k.css("body ")
	}
	return shape + k.css("body ") + rules("body:has(#light:checked) ", k.light) + rules("body:has(#dark:checked) ", k.dark)
}

// numbers writes the table of an aggregation.
func numbers(b *bufio.Writer, t *trace.Table) {
	b.WriteString("<table>\n<tr>")
	titles := datum.Titles(t)
	for _, name := range titles {
		fmt.Fprintf(b, "<th>%s</th>", escape(name))
	}
	hist := t.Func.IsHistogram()
	if hist {
		b.WriteString(`<th class="r">value</th>`)
	}
	fmt.Fprintf(b, `<th class="r">%s</th></tr>`+"\n", t.Func)
	for i := range t.Rows[:min(len(t.Rows), mostRows)] {
		r := &t.Rows[i]
		var keys strings.Builder
		for n := range titles {
			text := ""
			if n < len(r.Keys) {
				text = datum.Text(r.Keys[n])
			}
			fmt.Fprintf(&keys, "<td>%s</td>", escape(text))
		}
		if !hist {
			fmt.Fprintf(b, `<tr>%s<td class="r">%s</td></tr>`+"\n", keys.String(), spell.AppendAmount(nil, t.Func, spell.Shown(t, r)))
		}
		for _, x := range r.Buckets {
			fmt.Fprintf(b, `<tr>%s<td class="r">%s</td><td class="r">%d</td></tr>`+"\n", keys.String(), escape(x.Label), spell.Bucketed(x.Count, t.Normal))
		}
	}
	b.WriteString("</table>\n")
	if more := len(t.Rows) - mostRows; more > 0 {
		fmt.Fprintf(b, "<p>and %s</p>\n", widget.Count(more, "more key"))
	}
}

// escapeLines is escape for a text of several lines.
func escapeLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = escape(lines[i])
	}
	return strings.Join(lines, "\n")
}
