package document

import (
	"testing"

	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/text"
)

// TestPlaces has places move along with the text, and back with undo.
func TestPlaces(t *testing.T) {
	d := newDocument(1, disk.File{Text: "a\nb\n"}, "")
	d.Keep('a', 2)
	for _, tt := range []struct {
		do   func()
		want int
	}{
		{func() { d.Change(text.Other, func() text.Sel { d.Buf.Replace(0, 0, "x\n"); return text.At(0) }) }, 4},
		{func() { d.Undo() }, 2},
		{func() { d.Change(text.Other, func() text.Sel { d.Buf.Replace(0, 4, ""); return text.At(0) }) }, 0},
	} {
		tt.do()
		if off, ok := d.Place('a'); !ok || off != tt.want {
			t.Errorf("the place is at %d, %v, want %d", off, ok, tt.want)
		}
	}
	if _, ok := d.Place('b'); ok {
		t.Error("a place is there that nobody kept")
	}
}
