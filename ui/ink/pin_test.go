package ink

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestPin(t *testing.T) {
	for _, tt := range []struct{ row, want string }{
		{"", ""},
		{"abc│日本é…─█", "abc│日本é…─█"}, // all are as wide everywhere
		{"\x1b[31mab\x1b[0m", "\x1b[31mab\x1b[0m"},
		{"a\u0301b", "a\u0301\x1b[2Gb"},
		{"\U0001f1e9x", "\U0001f1e9\x1b[3Gx"}, // half a flag is two cells here, and one in tmux
		{"\U0001f1e9", "\U0001f1e9"},          // nothing stands behind
		{"가\u11a8가", "가\u11a8\x1b[3G가"},
		{"\x1b[1m\u0915\u093e\x1b[0m│", "\x1b[1m\u0915\u093e\x1b[0m\x1b[2G│"},
		{"─⌚x", "─⌚\x1b[4Gx"},
	} {
		if got := string(Pin(nil, tt.row)); got != tt.want {
			t.Errorf("Pin(%q) = %q, want %q", tt.row, got, tt.want)
		}
	}
}

// TestAgreedWidths holds the table to what a Line measures by.
func TestAgreedWidths(t *testing.T) {
	for i, s := range agreedWidths {
		if i > 0 && s.first <= agreedWidths[i-1].last {
			t.Errorf("%U is out of order", s.first)
		}
		for r := s.first; r <= s.last; r++ {
			if got := ansi.StringWidth(string(r)); got != s.width || agreedWidth(r) != s.width {
				t.Errorf("%U is %d wide, and %d in the table", r, got, agreedWidth(r))
			}
			if two := ansi.StringWidth(string(r) + "─"); two != s.width+1 {
				t.Errorf("%U joins what follows it", r)
			}
		}
	}
}

// FuzzPin holds that pins change nothing for a terminal that measures as a Line does: each
// sends the cursor to where it is.
func FuzzPin(f *testing.F) {
	f.Add("a\u0301日\U0001f1e9b\u0915\u093e", 9)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = min(max(w, 0), 100)
		var l Line
		l.Reset(w, Ink{})
		l.Put(Ink{"7"}, s)
		row := l.String()
		pinned := string(Pin(nil, row))
		if ansi.Strip(pinned) != ansi.Strip(row) {
			t.Fatalf("%q became %q", row, pinned)
		}
		for _, m := range sent.FindAllStringSubmatchIndex(pinned, -1) {
			col, _ := strconv.Atoi(pinned[m[2]:m[3]])
			if at := ansi.StringWidth(pinned[:m[0]]); at != col-1 {
				t.Fatalf("%q sends the cursor to %d behind %d cells", pinned, col, at)
			}
		}
	})
}

// sent is what sends the cursor to a column.
var sent = regexp.MustCompile("\x1b\\[([0-9]+)G")
