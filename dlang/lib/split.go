package lib

import "strings"

// A splitter finds where the items of a text begin and end. It knows comments,
// strings and brackets, and nothing else of D.
type splitter struct {
	file, text string
	at, line   int
}

// skip moves past blanks, comments and stray semicolons.
func (s *splitter) skip() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case rest[0] == '\n':
			s.line++
			s.at++
		case strings.IndexByte(" \t\r\f;", rest[0]) >= 0:
			s.at++
		case inert(rest) > 0 && rest[0] == '/':
			s.move(inert(rest))
		default:
			return
		}
	}
}

// move moves on by n bytes and counts their lines.
func (s *splitter) move(n int) {
	s.line += strings.Count(s.text[s.at:s.at+n], "\n")
	s.at += n
}

func (s *splitter) untilNewline() string {
	n := strings.IndexByte(s.text[s.at:], '\n')
	if n < 0 {
		n = len(s.text) - s.at
	}
	line := s.text[s.at : s.at+n]
	s.at += n
	return strings.TrimRight(line, " \t\r")
}

// item returns the text from here to the end of the item: its semicolon, or the
// brace that closes the actions of a clause.
func (s *splitter) item() string {
	from, depth := s.at, 0
	clause := !isDecl(s.text[from:])
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		if n := inert(rest); n > 0 {
			s.move(n)
			continue
		}
		s.at++
		switch rest[0] {
		case '\n':
			s.line++
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
			if depth <= 0 && rest[0] == '}' && clause {
				return s.text[from:s.at]
			}
		case ';':
			if depth <= 0 {
				return s.text[from:s.at]
			}
		}
	}
	return s.text[from:]
}

// isDecl reports whether an item that may have braces ends with a semicolon.
func isDecl(text string) bool {
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	switch text[:n] {
	case "inline", "translator", "provider", "typedef", "struct", "union", "enum", "extern", "const", "self", "this":
		return true
	}
	return false
}

// inert returns the length of the comment, string or character constant that
// text begins with, or 0.
func inert(text string) int {
	switch b := text[0]; {
	case b != '/' && b != '"' && b != '\'':
		return 0
	case strings.HasPrefix(text, "//"):
		if n := strings.IndexByte(text, '\n'); n >= 0 {
			return n
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
		return len(text)
	case b == '"' || b == '\'':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case text[0], '\n':
				return i + 1
			}
		}
		return len(text)
	}
	return 0
}

// A word is a name, a number or one character, and the number of brackets
// around it.
type word struct {
	text  string
	depth int
}

// words takes an item apart and appends its words to list. What stands in braces is
// left out, as it declares no name that can be asked for, unless it may be that of an
// enumeration.
func words(list []word, text string) []word {
	depth := 0
	whole := strings.Contains(text, "enum")
	for i := 0; i < len(text); {
		if n := inert(text[i:]); n > 0 {
			i += n
			continue
		}
		n := i
		for n < len(text) && isNameByte(text[n]) {
			n++
		}
		if n > i {
			list = append(list, word{text[i:n], depth})
			i = n
			continue
		}
		b := text[i]
		i++
		switch b {
		case ' ', '\t', '\r', '\n', '\f':
			continue
		case '}', ')', ']':
			depth--
		}
		list = append(list, word{text[i-1 : i], depth})
		switch {
		case b == '{' && !whole:
			i += braced(text[i:])
		case b == '{' || b == '(' || b == '[':
			depth++
		}
	}
	return list
}

// braced returns the length of text up to the brace that closes what is open.
func braced(text string) int {
	depth := 1
	for i := 0; i < len(text); {
		if n := inert(text[i:]); n > 0 {
			i += n
			continue
		}
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(text)
}

func isNameByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func isName(s string) bool { return s != "" && isNameByte(s[0]) && (s[0] < '0' || s[0] > '9') }
