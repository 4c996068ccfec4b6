package drain

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// set sets one text of n bytes as print does.
func (p *press) set(n int) *trace.Prints {
	sheet := p.sheet()
	if sheet == p.blank {
		p.begin()
	}
	sheet.Text = append(sheet.Text, strings.Repeat("x", n)...)
	sheet.List = append(sheet.List, trace.Print{End: uint32(len(sheet.Text))})
	return sheet
}

// TestBatchIsFullByWhatItHolds: text fills a batch, and firings do, however many sheets they
// stand on. Between sheets stand events of other kinds, one behind each text at worst, and
// then a batch that few sheets filled would make the output a write for each.
func TestBatchIsFullByWhatItHolds(t *testing.T) {
	for _, tt := range []struct{ size, each, want int }{
		{16, 1 << 30, mostPrints},
		{1 << 10, 1 << 30, mostText >> 10},
		{16, 1, mostPrints},
		{1 << 10, 1, mostText >> 10},
		{1 << 10, 7, mostText >> 10},
	} {
		t.Run(fmt.Sprintf("%d bytes, %d on a sheet", tt.size, tt.each), func(t *testing.T) {
			p := new(press)
			for range 2 { // the second batch is as the first
				var sheets []*trace.Prints
				n, memory := 0, 0
				for ; !p.full(); n++ {
					if s := p.set(tt.size); len(s.List) == 1 {
						sheets = append(sheets, s)
					}
					if n%tt.each == tt.each-1 {
						p.end()
					}
				}
				p.clear()
				for _, s := range sheets {
					for i := range s.List {
						if got := len(s.At(i)); got != tt.size {
							t.Fatalf("a text of %d bytes, want %d", got, tt.size)
						}
					}
					memory += cap(s.Text) + 16*cap(s.List)
				}
				if n != tt.want {
					t.Errorf("full after %d texts on %d sheets, want %d", n, len(sheets), tt.want)
				}
				if most := (mostWhole + 4) * (mostText + 16*mostPrints); memory > most {
					t.Errorf("%d sheets hold %d bytes of memory, at most %d are allowed", len(sheets), memory, most)
				}
			}
		})
	}
}

// What has been sent is the reader's: clear leaves it alone, and nothing new is set in it.
func TestSentSheetsStay(t *testing.T) {
	p := new(press)
	for range 2 * mostWhole {
		p.set(16)
		p.end()
	}
	sent := p.set(16) // little, and one of many
	text := &sent.Text[0]
	p.clear()
	if &sent.Text[0] != text || len(sent.List) != 1 {
		t.Error("what has been sent was changed")
	}
	if next := p.set(16); next == sent || &next.Text[0] == text {
		t.Error("what has been sent is set anew")
	}
}
