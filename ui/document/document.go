// Package document is a script that somebody writes: its text with undo, its words, what
// was said about it, and the file in which it rests.
//
// A Desk holds the documents that are open. A pane shows the one in front; a document knows no
// pane, no keys and no engine. What belongs
// to one way of looking at it (which lines are in view, what is searched for) is the
// pane's; what must not be lost when another document is shown, the cursor too, is here.
//
// Whoever answers a question about a text names it by its Ref, and an answer about another
// text than the present one is ignored. So the results of a slow disk or of a check never
// reach a document that they are not about.
//
// What waits for the disk (package disk) is a Job, which must not run where the screen
// waits for it.
package document

import (
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/syntax"
	"dscope.dev/ui/document/text"
)

// A Ref names one version of the text of one document. No two texts have the same.
type Ref struct{ Doc, Version int }

// A Document is a script under change. It is not safe for concurrent use.
type Document struct {
	Buf  *text.Buffer
	Code *syntax.Script // the words of Buf, none if it is too large for colours
	Sel  text.Sel       // where whoever writes it stands
	Call Call           // what it is run with

	id     int // no two documents of a desk have the same
	marks  []Mark
	places map[rune]int // offsets by the names under which they are kept
	file   file
}

// newDocument returns a script that was read, or one without a file, of which copies are kept
// below the folder state unless that is "".
func newDocument(id int, f disk.File, state string) *Document {
	d := &Document{Buf: text.New(f.Text), Code: &syntax.Script{}, id: id, file: file{path: f.Path, stamp: f.Stamp}}
	if state != "" {
		d.file.keeper = disk.NewKeeper(state)
	}
	d.colour()
	return d
}

// Ref names the text as it is now.
func (d *Document) Ref() Ref { return Ref{d.id, d.Buf.Version()} }

// Is reports whether r is about this document, be its text another by now.
func (d *Document) Is(r Ref) bool { return r.Doc == d.id }

// Text returns the script.
func (d *Document) Text() string { return d.Buf.Text() }

// Selected returns the selected text.
func (d *Document) Selected() string { return d.Buf.Slice(d.Sel.Range()) }

// At returns the place of the cursor.
func (d *Document) At() text.Pos { return d.Buf.Pos(d.Sel.Head) }

// Change makes the replacements of f one step of undo and puts the selection where f says.
func (d *Document) Change(kind text.Kind, f func() text.Sel) {
	d.Sel = d.Buf.Change(kind, d.Sel, f)
	d.Sync()
}

// Undo takes back the last step, and reports whether there was one.
func (d *Document) Undo() bool { return d.stepped(d.Buf.Undo()) }

// Redo makes again the step that was taken back last.
func (d *Document) Redo() bool { return d.stepped(d.Buf.Redo()) }

func (d *Document) stepped(sel text.Sel, ok bool) bool {
	if ok {
		d.Sel = sel
		d.Sync()
	}
	return ok
}

// Sync moves what holds offsets along with the text. Whoever changes Buf within Change and
// reads Code before it ends calls it in between.
func (d *Document) Sync() {
	shifts := d.Buf.TakeShifts()
	if len(shifts) == 0 {
		return
	}
	d.moveMarks(shifts)
	d.movePlaces(shifts)
	switch {
	case d.Buf.Size() > colourLimit || d.Code.Text() == "":
		d.colour()
	default:
		from, oldTo, newTo := text.Hull(shifts)
		d.Code.Edit(d.Buf.Text(), from, oldTo, newTo)
	}
}

// colourLimit is the size of a text, in bytes, above which it is drawn without
// colours: the words of a larger one would take more memory than it is worth.
const colourLimit = 2 << 20

// colour finds the words of the whole text.
func (d *Document) colour() {
	src := ""
	if d.Buf.Size() <= colourLimit {
		src = d.Buf.Text()
	}
	d.Code.Set(src)
}
