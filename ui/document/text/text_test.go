package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestBufferKeepsBytes(t *testing.T) {
	for _, s := range []string{
		"", "\n", "a", "a\n", "a\r\nb\r\n", "a\r\nb\nc", "\r", "a\r", "\xff\xfe\n\x00", "\ufeffBEGIN\n", "\n\n\n", "\r\n",
	} {
		b := New(s)
		if b.Text() != s || b.Size() != len(s) {
			t.Errorf("New(%q) holds %q", s, b.Text())
		}
		for off := 0; off <= len(s); off++ {
			p := b.Pos(off)
			if got := b.Offset(p); got != off && !(off > 0 && s[off-1] == '\r' && off < len(s) && s[off] == '\n') {
				t.Errorf("%q: offset %d is %v, which is offset %d", s, off, p, got)
			}
		}
		for i := range len(s) + 1 {
			for j := i; j <= len(s); j++ {
				if got := b.Slice(i, j); got != s[i:j] {
					t.Errorf("%q: Slice(%d, %d) = %q", s, i, j, got)
				}
			}
		}
	}
}

func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		text     string
		from, to int
		with     string
		want     string
		lines    int
	}{
		{"abc", 1, 2, "X\nY", "aX\nYc", 2},
		{"a\r\nb\r\nc", 1, 6, "-", "a-c", 1},
		{"a\r\nb", 3, 3, "x\r\ny\n", "a\r\nx\r\ny\nb", 4},
		{"a\r\nb", 1, 2, "", "a\nb", 2},   // half of a CR LF
		{"a\nb", 1, 1, "\r", "a\r\nb", 2}, // becomes a CR LF
		{"a\nb\n", 0, 4, "", "", 1},
		{"", 0, 0, "\n", "\n", 2},
		{"abc", 9, 12, "d", "abcd", 1}, // outside: at the end
	} {
		b := New(tt.text)
		b.Replace(tt.from, tt.to, tt.with)
		if b.Text() != tt.want || b.Lines() != tt.lines {
			t.Errorf("%+v gives %q in %d lines", tt, b.Text(), b.Lines())
		}
		same(t, b)
		b.Undo()
		if b.Text() != tt.text {
			t.Errorf("%+v: undo gives %q", tt, b.Text())
		}
	}
}

// same compares b with a buffer made afresh of its text.
func same(t *testing.T, b *Buffer) {
	t.Helper()
	fresh := New(b.Text())
	if !slices.Equal(b.lines, fresh.lines) || !slices.Equal(b.crlf, fresh.crlf) || !slices.Equal(b.start, fresh.start) || b.size != fresh.size {
		t.Fatalf("buffer %q %v %v differs from a fresh one %q %v %v", b.lines, b.crlf, b.start, fresh.lines, fresh.crlf, fresh.start)
	}
}

// TestRandomEditsUndo makes thousands of changes of all kinds, takes all of
// them back, and makes all of them again.
func TestRandomEditsUndo(t *testing.T) {
	parts := []string{"a", "word ", " ", "\n", "\r\n", "\r", "{\n\t", "}", "漢字", "é\u0301", "\xff", "\t\t", ""}
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		first := strings.Repeat("line one\r\nline two\n", rnd.IntN(4))
		b := New(first)
		for range 300 {
			from := rnd.IntN(b.Size() + 1)
			to := min(from+rnd.IntN(6)*rnd.IntN(2), b.Size())
			kind := Kind(rnd.IntN(3))
			b.Change(kind, At(from), func() Sel {
				for range 1 + rnd.IntN(2) {
					b.Replace(from, to, parts[rnd.IntN(len(parts))])
				}
				return At(from)
			})
			if rnd.IntN(5) == 0 {
				b.Seal()
			}
			same(t, b)
		}
		last := b.Text()
		for b.CanUndo() {
			b.Undo()
			same(t, b)
		}
		if b.Text() != first || b.Modified() {
			t.Fatalf("seed %d: undoing all gives %q, want %q", seed, b.Text(), first)
		}
		for b.CanRedo() {
			b.Redo()
		}
		if b.Text() != last {
			t.Fatalf("seed %d: redoing all gives %q, want %q", seed, b.Text(), last)
		}
	}
}

func TestTypingIsOneStepAWord(t *testing.T) {
	b := New("")
	at := 0
	for _, r := range "ab cd\nx" {
		b.Change(Typing, At(at), func() Sel { b.Replace(at, at, string(r)); return At(at + 1) })
		at++
	}
	var got []string
	for b.CanUndo() {
		b.Undo()
		got = append(got, b.Text())
	}
	if want := []string{"ab cd\n", "ab cd", "ab ", ""}; !slices.Equal(got, want) {
		t.Errorf("undo step by step gives %q, want %q", got, want)
	}
}

func TestDeletingIsOneStep(t *testing.T) {
	b := New("abcdef")
	del := func(from, to int) {
		b.Change(Deleting, At(to), func() Sel { b.Replace(from, to, ""); return At(from) })
	}
	del(5, 6)
	del(4, 5)
	del(3, 4)
	if sel, _ := b.Undo(); b.Text() != "abcdef" || sel != At(6) {
		t.Errorf("one undo gives %q with the cursor at %v", b.Text(), sel)
	}
	del(0, 1)
	del(0, 1)
	b.Seal()
	del(0, 1)
	b.Undo()
	if b.Text() != "cdef" {
		t.Errorf("undo after a seal gives %q", b.Text())
	}
}

func TestModified(t *testing.T) {
	b := New("a")
	if b.Modified() {
		t.Error("a fresh text is modified")
	}
	b.Replace(1, 1, "b")
	mark := b.Mark()
	b.Replace(2, 2, "c")
	b.SaveAs(mark) // "ab" has reached the disk, "abc" has not
	if !b.Modified() {
		t.Error("what was typed while the save ran counts as saved")
	}
	b.Undo()
	if b.Modified() {
		t.Error("undoing to the saved text leaves it modified")
	}
	b.Undo()
	if !b.Modified() {
		t.Error("undoing past the saved text leaves it unmodified")
	}
	b.Replace(0, 0, "x")
	if !b.Modified() {
		t.Error("another text of the same length counts as saved")
	}
}

func TestHistoryIsBounded(t *testing.T) {
	b := New("")
	big := strings.Repeat("x", 5<<20)
	for range 10 {
		b.Replace(0, b.Size(), big)
		b.Replace(0, b.Size(), "")
	}
	if b.bytes > historyBytes {
		t.Errorf("undo holds %d bytes", b.bytes)
	}
	for b.CanUndo() {
		b.Undo()
	}
	if !b.Modified() {
		t.Error("the oldest text that is remembered counts as the first")
	}
}

func TestShifts(t *testing.T) {
	b := New("one two three")
	b.Replace(4, 7, "2")
	b.Replace(0, 0, ">> ")
	off := 8 // three
	for _, s := range b.TakeShifts() {
		off = s.Move(off)
	}
	if got := b.Slice(off, off+5); got != "three" {
		t.Errorf("the word moved to %q", got)
	}
	if b.TakeShifts() != nil {
		t.Error("shifts are given twice")
	}
}

func TestHull(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		b := New("the quick brown fox jumps over the lazy dog")
		old := b.Text()
		for range 1 + rnd.IntN(4) {
			from := rnd.IntN(b.Size() + 1)
			b.Replace(from, min(from+rnd.IntN(5), b.Size()), "ABCDEF"[:rnd.IntN(7)])
		}
		shifts := b.TakeShifts()
		if len(shifts) == 0 {
			continue
		}
		from, oldTo, newTo := Hull(shifts)
		if got := old[:from] + b.Text()[from:newTo] + old[oldTo:]; got != b.Text() {
			t.Fatalf("seed %d: hull %d %d %d of %v gives %q, want %q", seed, from, oldTo, newTo, shifts, got, b.Text())
		}
	}
}
