package text

import "testing"

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		drawn string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"\tx", 9, "        x"},
		{"abc\tx", 9, "abc     x"},
		{"漢\tx", 9, "漢      x"},
		{"\té", 9, "        é"},
		{"e\u0301x", 2, "e\u0301x"},
		{"\x1b[31m", 6, "^[[31m"},
		{"\xff\xfe", 8, `\xff\xfe`},
		{"\u202e", 6, `\u202e`},
		{"\u0301", 6, `\u0301`},
		{"👩\u200d💻", 2, "👩"},
		{"a\rb", 4, "a^Mb"},
		{"\u009b", 6, `\u009b`},
	} {
		drawn, col := "", 0
		for c := range Cells(tt.line, 8) {
			if c.Col != col || c.Width <= 0 || c.To <= c.From {
				t.Errorf("%q: cell %+v at column %d", tt.line, c, col)
			}
			drawn, col = drawn+c.Glyph, col+c.Width
		}
		if drawn != tt.drawn || Width(tt.line, 8) != tt.width || col != tt.width {
			t.Errorf("%q is drawn %q, %d wide; want %q, %d", tt.line, drawn, col, tt.drawn, tt.width)
		}
	}
}

// FuzzCells holds the three views of a line together: stepping forward,
// stepping back, and columns.
func FuzzCells(f *testing.F) {
	f.Add("\tprintf(\"漢字 %s\\n\", execname);")
	f.Add("\xff\u0301\u200d\x1b\u202e👩\u200d💻\u0600" + "1")
	f.Fuzz(func(t *testing.T, line string) {
		var ends []int
		for c := range Cells(line, 8) {
			ends = append(ends, c.From)
			if got := AtColumn(line, c.Col+c.Width-1, 8); got != c.From {
				t.Fatalf("%q: column %d belongs to byte %d, want %d", line, c.Col+c.Width-1, got, c.From)
			}
			if got := Column(line, c.From, 8); got != c.Col {
				t.Fatalf("%q: byte %d is in column %d, want %d", line, c.From, got, c.Col)
			}
		}
		ends = append(ends, len(line))
		for i := 1; i < len(ends); i++ {
			if got := Next(line, ends[i-1]); got != ends[i] {
				t.Fatalf("%q: after byte %d comes %d, want %d", line, ends[i-1], got, ends[i])
			}
			if got := Prev(line, ends[i]); got != ends[i-1] {
				t.Fatalf("%q: before byte %d comes %d, want %d", line, ends[i], got, ends[i-1])
			}
		}
	})
}

func TestWords(t *testing.T) {
	b := New("self->ts = timestamp;\n\n  x")
	var stops []int
	for off := 0; ; {
		next := b.NextWord(off)
		if next == off {
			break
		}
		off = next
		stops = append(stops, off)
	}
	want := []int{4, 6, 9, 11, 20, 21, 22, 23, 25, 26}
	if len(stops) != len(want) {
		t.Fatalf("words begin at %v, want %v", stops, want)
	}
	for i := range want {
		if stops[i] != want[i] {
			t.Fatalf("words begin at %v, want %v", stops, want)
		}
	}
	for off := b.Size(); off > 0; {
		prev := b.PrevWord(off)
		if prev >= off {
			t.Fatalf("PrevWord(%d) = %d", off, prev)
		}
		off = prev
	}
	if from, to := b.WordAt(7); b.Slice(from, to) != "ts" {
		t.Errorf("the word at 7 is %q", b.Slice(from, to))
	}
}
