package editor

import (
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document/text"
)

// finder is what is searched for.
type finder struct {
	query string
	shown bool     // the places found are marked
	from  text.Sel // where the search began, to go back to
}

// fold reports whether the case of letters does not count: it does once the
// query has a capital.
func fold(query string) bool { return !strings.ContainsFunc(query, unicode.IsUpper) }

// matches returns the places in line where the query stands. Folding the case
// of a letter may change its length in bytes, so it is done for ASCII only.
func (f finder) matches(line string) [][2]int {
	if f.query == "" {
		return nil
	}
	query := f.query
	if fold(query) {
		line, query = lowerASCII(line), lowerASCII(query)
	}
	var out [][2]int
	for at := 0; ; {
		i := strings.Index(line[at:], query)
		if i < 0 {
			return out
		}
		out = append(out, [2]int{at + i, at + i + len(query)})
		at += i + len(query)
	}
}

func lowerASCII(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// findNext goes to the next place found, or with by -1 to the previous one, and
// around the ends of the script.
func (m *Model) findNext(by int) tea.Cmd {
	from, to := m.doc.Sel.Range()
	if by > 0 {
		m.search(to, by)
	} else {
		m.search(from, by)
	}
	return nil
}

// search selects the first place found from off on, or the last that ends at
// off or before.
func (m *Model) search(off, by int) {
	m.find.shown = true
	n, count := m.doc.Buf.Pos(off).Line, m.doc.Buf.Lines()
	for i := range count + 1 {
		line := ((n+by*i)%count + count) % count
		start := m.doc.Buf.Start(line)
		places := m.find.matches(m.doc.Buf.Line(line))
		for j := range places {
			p := places[j]
			if by < 0 {
				p = places[len(places)-1-j]
			}
			a, b := start+p[0], start+p[1]
			if i == 0 && (by > 0 && a < off || by < 0 && b > off) {
				continue
			}
			m.place(text.Sel{Anchor: a, Head: b})
			return
		}
	}
	m.notice = "not found: " + m.find.query
}
