package refer

import (
	"strings"

	"dscope.dev/dlang/lib"
)

// Library returns where D's library declares a symbol that the script does not: the name
// of the text, and the line.
func (s *Symbol) Library() (file string, line int, ok bool) {
	if s.Def.IsValid() {
		return "", 0, false
	}
	var it *lib.Item
	switch s.Kind {
	case Name:
		it = lib.Own().Lookup(s.Name, lib.Inline, lib.Variable, lib.Type, lib.Tag)
	case Tag:
		it = lib.Own().Lookup(s.Name, lib.Tag)
	case Function:
		it = lib.Own().Lookup(s.Name, lib.Function)
	}
	if it == nil {
		return "", 0, false
	}
	// An item may be a long one, such as an enum, that declares the name further on.
	for i, text := range strings.Split(it.Text, "\n") {
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r > 127 || !isWord(byte(r)) }) {
			if w == s.Name {
				return it.File, it.Line + i, true
			}
		}
	}
	return it.File, it.Line, true
}

// LibraryText returns a text of D's library.
func LibraryText(file string) (text string, ok bool) { return lib.Source(file) }
