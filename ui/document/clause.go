package document

import (
	"strings"

	"dscope.dev/dlang/token"
	"dscope.dev/ui/document/text"
)

// InsertClause puts a clause behind the one that holds the cursor, or at the
// cursor's line between clauses, with an empty line around it, and the cursor
// inside its braces. clause may be a probe description alone: then it gets
// braces.
func (d *Document) InsertClause(clause string) {
	clause = strings.TrimSpace(UnixLines(clause))
	if !strings.Contains(clause, "{") {
		clause += "\n{\n\t\n}"
	}
	at := d.clausePlace()
	before, behind := d.Buf.Slice(0, at), d.Buf.Slice(at, d.Buf.Size())
	head, tail := gap(before, true), gap(behind, false)
	ins := head + clause + tail
	if nl := d.Buf.Newline(d.Buf.Pos(at).Line); nl != "\n" {
		ins = strings.ReplaceAll(ins, "\n", nl)
	}
	inside := strings.Index(ins, "{") + 1
	if i := strings.IndexAny(ins[inside:], "}\t"); i >= 0 {
		inside += i
		if ins[inside] == '\t' {
			inside++
		}
	}
	d.Change(text.Other, func() text.Sel {
		d.Buf.Replace(at, at, ins)
		return text.At(at + inside)
	})
}

// clausePlace returns the offset at which a new clause goes.
func (d *Document) clausePlace() int {
	at := d.Sel.Head
	for _, c := range d.Code.Clauses() {
		if c.From <= at && at <= c.To {
			return d.lineAfter(c.To)
		}
	}
	return d.lineAfter(at)
}

// lineAfter returns the end of the line of off, behind a comment that stands
// there, and before the newline; or off itself if other text follows.
func (d *Document) lineAfter(off int) int {
	end := d.Buf.End(d.Buf.Pos(off).Line)
	rest := strings.TrimSpace(d.Buf.Slice(off, end))
	if rest == "" || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") && strings.HasSuffix(rest, "*/") {
		return end
	}
	return off
}

// gap returns the newlines that are missing for an empty line between a clause
// and the text before it, or behind it.
func gap(around string, before bool) string {
	s := strings.ReplaceAll(around, "\r\n", "\n")
	if strings.TrimSpace(s) == "" {
		if before {
			return ""
		}
		return strings.Repeat("\n", 1-min(strings.Count(s, "\n"), 1))
	}
	blank := ""
	if before {
		blank = s[len(strings.TrimRight(s, " \t\n")):]
	} else {
		blank = s[:len(s)-len(strings.TrimLeft(s, " \t\n"))]
	}
	return strings.Repeat("\n", max(2-strings.Count(blank, "\n"), 0))
}

// ProbesHere returns the probe descriptions of the clause that holds the cursor, or the
// one that it is on.
func (d *Document) ProbesHere() []string {
	var list []string
	for _, c := range d.Code.Clauses() {
		if d.Sel.Head < c.From || c.To < d.Sel.Head {
			continue
		}
		for _, w := range d.Code.From(c.From) {
			if w.From >= c.To || c.Open >= 0 && w.From > c.Open {
				break
			}
			if w.Kind != token.Probe {
				continue
			}
			if w.From <= d.Sel.Head && d.Sel.Head <= w.To {
				return []string{d.Buf.Slice(w.From, w.To)}
			}
			list = append(list, d.Buf.Slice(w.From, w.To))
		}
		return list
	}
	return nil
}

// UnixLines makes the line ends of a terminal's paste newlines.
func UnixLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
