package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Sel is a selection: the offset where it began and the one where the cursor
// is. They are equal if nothing is selected.
type Sel struct{ Anchor, Head int }

// Range returns the selection in the order of the text.
func (s Sel) Range() (from, to int) { return min(s.Anchor, s.Head), max(s.Anchor, s.Head) }

// Empty reports whether nothing is selected.
func (s Sel) Empty() bool { return s.Anchor == s.Head }

// At returns the empty selection at off.
func At(off int) Sel { return Sel{off, off} }

// A Kind of change says which steps may grow together.
type Kind uint8

// The kinds of changes.
const (
	Other    Kind = iota // always a step of its own
	Typing               // grows while letters of one word are typed
	Deleting             // grows while a key deletes to one side
)

// historyBytes bounds what undo remembers; the oldest steps go first.
const historyBytes = 32 << 20

// history is what Undo and Redo know.
type history struct {
	undo, redo []step
	open       *step // inside Change
	sealed     bool  // the last step must not grow
	serial     int   // of the last step made
	base       int   // serial of the step before the oldest that is remembered
	saved      int   // serial of the step after which the text was saved
	bytes      int
}

// A step is what one Undo takes back.
type step struct {
	serial        int
	kind          Kind
	edits         []edit
	before, after Sel
}

// An edit is one replacement.
type edit struct {
	at       int
	del, ins string
}

func (s *step) bytes() int {
	n := 0
	for _, e := range s.edits {
		n += len(e.del) + len(e.ins)
	}
	return n
}

// Change makes the replacements of f one step for Undo. before is the
// selection that Undo restores; f returns the one that Redo does.
func (b *Buffer) Change(kind Kind, before Sel, f func() Sel) Sel {
	if b.open != nil {
		return f() // part of a larger change
	}
	b.open = &step{kind: kind, before: before}
	after := f()
	s := b.open
	b.open = nil
	if len(s.edits) == 0 {
		return after
	}
	s.after = after
	b.redo = nil
	if b.grow(s) {
		return after
	}
	b.serial++
	s.serial = b.serial
	b.undo = append(b.undo, *s)
	b.bytes += s.bytes()
	b.sealed = kind == Other
	for b.bytes > historyBytes && len(b.undo) > 1 {
		b.bytes -= b.undo[0].bytes()
		b.base = b.undo[0].serial
		b.undo = b.undo[1:]
	}
	return after
}

// Replace puts with in the place of [from, to). Outside Change it is a step of
// its own.
func (b *Buffer) Replace(from, to int, with string) {
	from, to = b.clamp(from), b.clamp(to)
	to = max(from, to)
	if b.open == nil {
		b.Change(Other, At(from), func() Sel {
			b.Replace(from, to, with)
			return At(from + len(with))
		})
		return
	}
	old := b.Slice(from, to)
	if old == with {
		return
	}
	b.open.edits = append(b.open.edits, edit{from, old, with})
	b.splice(from, to, with)
}

// grow makes s part of the last step if it continues it.
func (b *Buffer) grow(s *step) bool {
	if b.sealed || s.kind == Other || len(b.undo) == 0 || len(s.edits) != 1 {
		return false
	}
	last := &b.undo[len(b.undo)-1]
	if last.kind != s.kind || len(last.edits) != 1 {
		return false
	}
	old, e := &last.edits[0], s.edits[0]
	switch {
	case s.kind == Typing && e.del == "" && e.at == old.at+len(old.ins) && !beginsWord(old.ins, e.ins):
		old.ins += e.ins
	case s.kind == Deleting && e.ins == "" && old.ins == "" && e.at+len(e.del) == old.at:
		old.at, old.del = e.at, e.del+old.del
	case s.kind == Deleting && e.ins == "" && old.ins == "" && e.at == old.at:
		old.del += e.del
	default:
		return false
	}
	last.after = s.after
	b.bytes += len(e.del) + len(e.ins)
	return true
}

// beginsWord reports whether typing next after before begins a new word or
// line, which is where a step of typing ends.
func beginsWord(before, next string) bool {
	if strings.Contains(next, "\n") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsSpace(last) && !unicode.IsSpace(first)
}

// Seal ends the last step: what is changed next is a step of its own. Moving
// the cursor seals.
func (b *Buffer) Seal() { b.sealed = true }

// CanUndo reports whether there is a step to take back.
func (b *Buffer) CanUndo() bool { return len(b.undo) > 0 }

// CanRedo reports whether there is a step that was taken back.
func (b *Buffer) CanRedo() bool { return len(b.redo) > 0 }

// Undo takes back the last step and returns the selection from before it.
func (b *Buffer) Undo() (Sel, bool) {
	if len(b.undo) == 0 {
		return Sel{}, false
	}
	s := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	b.redo = append(b.redo, s)
	b.bytes -= s.bytes()
	b.sealed = true
	for i := len(s.edits) - 1; i >= 0; i-- {
		e := s.edits[i]
		b.splice(e.at, e.at+len(e.ins), e.del)
	}
	return s.before, true
}

// Redo makes the step that Undo took back again, and returns the selection
// from after it.
func (b *Buffer) Redo() (Sel, bool) {
	if len(b.redo) == 0 {
		return Sel{}, false
	}
	s := b.redo[len(b.redo)-1]
	b.redo = b.redo[:len(b.redo)-1]
	b.undo = append(b.undo, s)
	b.bytes += s.bytes()
	b.sealed = true
	for _, e := range s.edits {
		b.splice(e.at, e.at+len(e.del), e.ins)
	}
	return s.after, true
}

// state names the text by the step that made it.
func (b *Buffer) state() int {
	if len(b.undo) == 0 {
		return b.base
	}
	return b.undo[len(b.undo)-1].serial
}

// Join makes one step of all that were made since the text had this mark, and has Redo
// return after.
func (b *Buffer) Join(mark int, after Sel) {
	i := len(b.undo)
	for i > 0 && b.undo[i-1].serial > mark {
		i--
	}
	if i == len(b.undo) {
		return
	}
	all := b.undo[len(b.undo)-1] // its serial names the text
	all.edits, all.before, all.after, all.kind = nil, b.undo[i].before, after, Other
	for _, s := range b.undo[i:] {
		all.edits = append(all.edits, s.edits...)
	}
	b.undo = append(b.undo[:i], all)
	b.sealed = true
}

// Save notes that the text as it is now is on disk.
func (b *Buffer) Save() { b.SaveAs(b.Mark()) }

// Mark names the text as it is now for SaveAs, for a save that takes a while.
func (b *Buffer) Mark() int {
	b.Seal()
	return b.state()
}

// SaveAs notes that the text that had this mark is on disk.
func (b *Buffer) SaveAs(mark int) { b.saved = mark }

// Modified reports whether the text differs from the one on disk, as far as
// its steps tell: undoing back to a saved text makes it unmodified.
func (b *Buffer) Modified() bool { return b.state() != b.saved }
