package cpp

import (
	"sort"
	"strings"

	"dscope.dev/dlang/token"
)

// A source is one file while it is read. Lines that end with a backslash go on in
// the next one, whatever they hold, so such line ends are cut out before
// anything else looks at the text.
type source struct {
	name   string
	raw    string // as it was written
	text   string // with the line ends cut out
	cuts   []cut
	file   *token.File // of raw, for counting lines
	dir    int         // where its folder stands in the search list, for #include_next
	parent *source     // the file that includes it
	line   place       // the name in the #include
	labels []token.Label
	made   *token.File // what leaves the package; see final
}

// A cut is a line end that was cut out.
type cut struct {
	at   int // in text
	more int // bytes cut out up to and with this one
}

func newSource(name, raw string) *source {
	s := &source{name: name, raw: raw, text: raw, file: token.NewFile(name, raw)}
	if strings.Contains(raw, "\\\n") || strings.Contains(raw, "\\\r\n") {
		s.splice()
	}
	return s
}

// splice cuts the line ends out.
func (s *source) splice() {
	var b strings.Builder
	gone := 0
	for rest := s.raw; ; {
		i := strings.IndexByte(rest, '\\')
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		n := 2
		switch {
		case strings.HasPrefix(rest, "\\\n"):
		case strings.HasPrefix(rest, "\\\r\n"):
			n = 3
		default:
			b.WriteByte('\\')
			rest = rest[1:]
			continue
		}
		gone += n
		s.cuts = append(s.cuts, cut{b.Len(), gone})
		rest = rest[n:]
	}
	s.text = b.String()
}

// rawAt returns the offset in raw of the byte at off in text.
func (s *source) rawAt(off int) int {
	i := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i].at > off })
	if i == 0 {
		return off
	}
	return off + s.cuts[i-1].more
}

// place returns text[from:to] as it was written.
func (s *source) place(from, to int) place {
	if to <= from {
		return place{s, s.rawAt(from), 0}
	}
	start := s.rawAt(from)
	return place{s, start, s.rawAt(to-1) + 1 - start}
}

// span returns a place as a span of the file.
func (at place) span() token.Span {
	return token.Span{From: token.Pos(at.off + 1), To: token.Pos(at.off + at.len + 1)}
}

// line returns the number of the line that holds a place, as one counts.
func (at place) line() int {
	line, _ := at.src.file.Position(token.Pos(at.off + 1))
	return line
}

// presumed returns the line and the file that a place is said to be in.
func (at place) presumed() (name string, line int) {
	name, line = at.src.name, at.line()
	labels := at.src.labels
	if len(labels) == 0 {
		return name, line
	}
	line += labels[len(labels)-1].As - labels[len(labels)-1].Line
	for _, l := range labels {
		if l.Name != "" {
			name = l.Name
		}
	}
	return name, line
}

// final returns the file that positions in s name from now on.
func (s *source) final() *token.File {
	if s.made == nil {
		s.made = token.NewSource(s.name, s.raw, s.labels, s.origin())
	}
	return s.made
}
