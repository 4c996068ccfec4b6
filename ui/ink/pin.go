package ink

import (
	"strconv"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Pin appends a whole row of the screen to b so that each terminal draws it with everything
// in its column. Terminals differ in how wide they take many characters: marks of Indian
// scripts, halves of flags, parts of Korean syllables, whatever was added to Unicode after
// them. Where one does, all that stands behind would be shifted, the edges of panes too. So
// behind each character that is not known to be as wide everywhere the cursor is sent to
// the column in which the next one belongs; a terminal of another opinion has a blank, or
// half a character, in that place and nowhere else.
//
// The row must hold no control codes but colours, as a Line makes it.
func Pin(b []byte, row string) []byte {
	col, loose := 0, false
	for i := 0; i < len(row); {
		if row[i] == 0x1b { // a colour takes no room
			end := i + 1
			for end < len(row) && row[end] != 'm' {
				end++
			}
			end = min(end+1, len(row))
			b = append(b, row[i:end]...)
			i = end
			continue
		}
		n, width, sure := first(row[i:])
		if loose && width > 0 {
			b = append(strconv.AppendInt(append(b, "\x1b["...), int64(col+1), 10), 'G')
			loose = false
		}
		b = append(b, row[i:i+n]...)
		col, loose, i = col+width, loose || !sure, i+n
	}
	return b
}

// first returns the length and the width of the first character of a row, measured as a
// Line does, and whether all terminals measure so.
func first(row string) (n, width int, sure bool) {
	r, n := utf8.DecodeRuneInString(row)
	agreed := agreedWidth(r)
	if agreed > 0 && n < len(row) {
		if next := firstRune(row[n:]); next < utf8.RuneSelf || agreedWidth(next) > 0 {
			return n, agreed, true
		}
	}
	cluster, width := ansi.FirstGraphemeCluster(row, ansi.GraphemeWidth)
	return len(cluster), width, agreed > 0 && len(cluster) == n
}

// agreedWidth returns how wide every terminal draws r, or 0 if that is not known. None of
// these belongs to a character before it.
func agreedWidth(r rune) int {
	for _, s := range agreedWidths {
		if r <= s.last {
			if r < s.first {
				return 0
			}
			return s.width
		}
	}
	return 0
}

// agreedWidths are blocks of Unicode 3 and before that have no gaps, no marks and none that
// may be an emoji, in order.
var agreedWidths = [...]struct {
	first, last rune
	width       int
}{
	{' ', '~', 1},
	{'\u00a1', '\u00ac', 1}, {'\u00ae', '\u02ff', 1}, // but for the soft hyphen
	{'\u0391', '\u03a1', 1}, {'\u03a3', '\u0481', 1}, {'\u048a', '\u0513', 1}, // Greek, Cyrillic
	{'\u2010', '\u2027', 1}, {'\u2030', '\u203b', 1},
	{'\u2190', '\u2193', 1},
	{'\u2500', '\u25a9', 1}, {'\u25ac', '\u25b5', 1}, {'\u25b7', '\u25bf', 1}, {'\u25c1', '\u25fa', 1}, // boxes, blocks, shapes
	{'\u2800', '\u28ff', 1},                          // patterns of dots
	{'\u3041', '\u3094', 2}, {'\u30a1', '\u30fe', 2}, // kana
	{'\u4e00', '\u9fa5', 2}, // Chinese characters
	{'\uac00', '\ud7a3', 2}, // Korean syllables
}
