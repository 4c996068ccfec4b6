package document

import (
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/text"
)

// written returns a document that holds script; a | in it is the cursor.
func written(script string) *Document {
	at := max(strings.Index(script, "|"), 0)
	d := newDocument(1, disk.File{Text: strings.Replace(script, "|", "", 1)}, "")
	d.Sel = text.At(at)
	return d
}

// typed puts s where the cursor is.
func (d *Document) typed(s string) {
	d.Change(text.Typing, func() text.Sel {
		at := d.Sel.Head
		d.Buf.Replace(at, at, s)
		return text.At(at + len(s))
	})
}

// complain returns complaints about the words of a script.
func complain(script string, words ...string) diag.List {
	var l diag.List
	for _, w := range words {
		i := strings.Index(script, w)
		l.Add(token.Span{From: token.Pos(i + 1), To: token.Pos(i + len(w) + 1)}, diag.UnknownIdent, "nothing is called %s", w)
	}
	return l
}

// No two texts have the same name, be they of one document or of others on the desk.
func TestRefs(t *testing.T) {
	k := NewDesk("")
	d := k.Front()
	seen := map[Ref]bool{d.Ref(): true}
	for _, change := range []func(){
		func() { d.typed("b") },
		func() { d.Undo() },
		func() { d.Redo() },
		func() { k.Put(disk.File{Text: "a"}); d = k.Front() },
		func() { k.Close(); k.Close(); d = k.Front() },
		func() { d.typed("b") },
	} {
		change()
		if seen[d.Ref()] {
			t.Errorf("%v names two texts", d.Ref())
		}
		seen[d.Ref()] = true
	}
}

func TestStaleDiagnosticsAreIgnored(t *testing.T) {
	d := written("|foo")
	was := d.Ref()
	d.typed("x")
	if d.SetDiagnostics(was, complain("foo", "foo")) || len(d.Marks()) != 0 {
		t.Error("complaints about another text are taken")
	}
	k := NewDesk("")
	was = k.Front().Ref()
	k.Put(disk.File{Text: "foo"})
	if k.About(was) != nil {
		t.Error("a document that is closed is open")
	}
}

func TestComplaintsMoveAlong(t *testing.T) {
	d := written("|one foo bar")
	d.SetDiagnostics(d.Ref(), complain("one foo bar", "foo", "bar"))
	d.typed("xy\n")
	var got []string
	for _, k := range d.Marks() {
		got = append(got, d.Buf.Slice(k.From, k.To))
	}
	if strings.Join(got, " ") != "foo bar" {
		t.Errorf("the complaints are about %q", got)
	}
	from := strings.Index(d.Text(), "foo")
	d.Change(text.Other, func() text.Sel { d.Buf.Replace(from, from+4, ""); return text.At(from) })
	if m := d.Marks(); len(m) != 1 || d.Buf.Slice(m[0].From, m[0].To) != "bar" {
		t.Errorf("the complaints are %v", m)
	}
}
