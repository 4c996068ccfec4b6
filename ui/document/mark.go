package document

import (
	"cmp"
	"slices"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/ui/document/text"
)

// A Mark is a complaint in its place. From equals To if it is about a place
// between characters, such as the end of the script.
type Mark struct {
	From, To int
	*diag.Diagnostic
}

// IsError reports whether the script cannot run as long as the complaint stands.
func (k Mark) IsError() bool { return k.Severity == diag.Error }

// Covers reports whether the complaint is about the character at off.
func (k Mark) Covers(off int) bool { return k.From <= off && off < max(k.To, k.From+1) }

// SetDiagnostics takes the complaints about a text, and reports whether that is the text
// at hand. If it is another by now they are ignored: newer ones are on their way.
func (d *Document) SetDiagnostics(about Ref, list diag.List) bool {
	if about != d.Ref() {
		return false
	}
	d.marks = d.marks[:0:0]
	for _, c := range list {
		k := Mark{Diagnostic: c}
		if c.At.IsValid() {
			k.From = min(c.At.From.Offset(), d.Buf.Size())
			k.To = min(max(c.At.To.Offset(), k.From), d.Buf.Size())
		}
		d.marks = append(d.marks, k)
	}
	slices.SortStableFunc(d.marks, func(a, b Mark) int { return cmp.Compare(a.From, b.From) })
	return true
}

// moveMarks moves the complaints along with the text. One whose words are gone
// goes too.
func (d *Document) moveMarks(shifts []text.Shift) {
	for _, s := range shifts {
		d.marks = slices.DeleteFunc(d.marks, func(k Mark) bool {
			return s.Del > 0 && s.At <= k.From && k.To <= s.At+s.Del && k.From < k.To
		})
		for i := range d.marks {
			d.marks[i].From, d.marks[i].To = s.Move(d.marks[i].From), s.Move(d.marks[i].To)
		}
	}
}

// Marks returns the complaints by their places. The caller must not change them.
func (d *Document) Marks() []Mark { return d.marks }

// Complaints returns how many errors and warnings there are.
func (d *Document) Complaints() (errors, warnings int) {
	for _, k := range d.marks {
		if k.IsError() {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// Here returns the complaint at the cursor, or the first on its line; nil if
// there is none.
func (d *Document) Here() *diag.Diagnostic {
	line := d.At().Line
	start, end := d.Buf.Start(line), d.Buf.End(line)
	var first *diag.Diagnostic
	for _, k := range d.marks {
		if k.From > end {
			break
		}
		if k.Covers(d.Sel.Head) {
			return k.Diagnostic
		}
		if first == nil && (k.From >= start || k.To > start) {
			first = k.Diagnostic
		}
	}
	return first
}

// Worst returns the gravest complaint that begins on line n, or that goes on
// there.
func (d *Document) Worst(n int) (k Mark, ok bool) {
	start, end := d.Buf.Start(n), d.Buf.End(n)
	for _, c := range d.marks {
		if c.From > end {
			break
		}
		if c.From < start && (c.To <= start || strings.TrimSpace(d.Buf.Line(n)) == "") {
			continue
		}
		if !ok || c.IsError() && !k.IsError() {
			k, ok = c, true
		}
	}
	return k, ok
}
