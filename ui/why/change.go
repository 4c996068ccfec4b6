package why

import (
	"strings"

	"dscope.dev/dlang/narrow"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// origins returns where the script fills the aggregation.
func (m *Model) origins() []trace.Origin { return m.q.Origins }

// changePage shows what the script becomes, as lines that go and lines that come.
func (m *Model) changePage(changes []narrow.Change, left string, err error) page {
	p := page{kind: changePage, title: "Narrow the script"}
	if err == nil {
		p.edits, err = narrow.Add(m.script, changes)
	}
	if err != nil {
		p.edits = nil
		p.lines = []line{plainLine(asWarning, err.Error())}
		return p
	}
	p.lines = diff(m.script, p.edits)
	if left != "" {
		p.lines = append(p.lines, plainLine(asText, ""), plainLine(asWarning, left))
	}
	return p
}

// around is how many lines are shown above and below what changes.
const around = 3

// diff returns the lines of the script that edits change, as they were and as they will
// be, and some around them.
func diff(script string, edits []narrow.Edit) (out []line) {
	shown := 0 // the end of what has been shown, in bytes
	for len(edits) > 0 {
		from, to := lineStart(script, edits[0].From), lineEnd(script, edits[0].To)
		n := 1
		for n < len(edits) && edits[n].From <= to { // on the same lines, or the next
			to = lineEnd(script, edits[n].To)
			n++
		}
		context := from
		for range around {
			if context > shown {
				context = lineStart(script, context-1)
			}
		}
		context = max(context, shown)
		if shown > 0 && context > shown {
			out = append(out, plainLine(asMuted, "  …"))
		}
		out = append(out, texts(asText, "  ", script[context:from])...)
		moved := make([]narrow.Edit, n)
		for i, e := range edits[:n] {
			moved[i] = narrow.Edit{From: e.From - from, To: e.To - from, Text: e.Text}
		}
		out = append(out, texts(asRemoved, "- ", script[from:to])...)
		out = append(out, texts(asAdded, "+ ", narrow.Apply(script[from:to], moved))...)
		edits, shown = edits[n:], min(to+1, len(script))
	}
	end := shown
	for range around {
		if end < len(script) {
			end = min(lineEnd(script, end)+1, len(script))
		}
	}
	return append(out, texts(asText, "  ", script[shown:end])...)
}

// texts returns the lines of a text, each behind a mark.
func texts(k look, mark, text string) (out []line) {
	text = strings.TrimSuffix(text, "\n")
	if text == "" && k == asText {
		return nil
	}
	for _, t := range strings.Split(text, "\n") {
		out = append(out, plainLine(k, mark+widget.Safe(strings.ReplaceAll(strings.TrimSuffix(t, "\r"), "\t", "    "))))
	}
	return out
}

func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

func lineEnd(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(s)
}
