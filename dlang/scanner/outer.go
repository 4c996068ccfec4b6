package scanner

import (
	"strings"

	"dscope.dev/dlang/token"
)

// outer reads a token where a clause or a declaration is due.
func (s *Scanner) outer() token.Kind {
	switch c := s.src[s.off]; {
	case c == '/':
		s.off++
		return token.Slash
	case isProbeByte(c):
		return s.probeOrDecl()
	}
	return s.operator()
}

// isProbeByte reports whether c is a letter of probe descriptions.
func isProbeByte(c byte) bool {
	return isWord(c) || strings.IndexByte("-$:.?*[]!^\\", c) >= 0
}

// probeOrDecl reads a probe description, or the first word of a declaration.
func (s *Scanner) probeOrDecl() token.Kind {
	from, end := s.off, s.off
	for end < len(s.src) && isProbeByte(s.src[end]) {
		end++
	}
	word := from
	for word < end && isWord(s.src[word]) {
		word++
	}
	if s.namesProbe(from, word, end) {
		s.off = end
		return token.Probe
	}
	s.off = word
	s.enterDecl()
	return s.wordKind(from, word)
}

// namesProbe decides between a probe description, which is src[from:end], and a
// declaration, which would begin with src[from:word].
func (s *Scanner) namesProbe(from, word, end int) bool {
	run, name := s.src[from:end], s.src[from:word]
	next := s.after(end)
	switch {
	case name == "", isDigit(name[0]) && !strings.Contains(name, "`"):
		return true
	case name == "BEGIN" || name == "END" || name == "ERROR":
		return true
	case declares(token.Lookup(name)) && (run == name || run[len(name)] == '*'):
		return false
	case strings.HasSuffix(run, "-") && next == '>': // x->y outside of a clause
		return false
	case strings.ContainsAny(run, ":.?!\\$^-"):
		return true
	}
	// What is left is a word, perhaps with * and [ ] in or after it.
	switch next {
	case 0, '{', '/':
		return true
	case ',':
		return !(strings.Contains(run, "*") && strings.HasSuffix(name, "_t"))
	case ';':
		return !(len(run) > len(name) && run[len(name)] == '*' && isLetter(run[len(run)-1]) ||
			strings.HasSuffix(run, "]"))
	}
	return false
}

// after returns the next byte at or beyond off that is neither white space nor
// comment, or 0 at the end.
func (s *Scanner) after(off int) byte {
	if off = s.beyond(off); off < len(s.src) {
		return s.src[off]
	}
	return 0
}

// declares reports whether k may begin a declaration.
func declares(k token.Kind) bool {
	switch k {
	case token.KwAuto, token.KwChar, token.KwConst, token.KwCounter, token.KwDouble, token.KwEnum,
		token.KwExtern, token.KwFloat, token.KwImport, token.KwInline, token.KwInt, token.KwLong,
		token.KwProvider, token.KwRegister, token.KwRestrict, token.KwSelf, token.KwShort,
		token.KwSigned, token.KwStatic, token.KwString, token.KwStruct, token.KwThis,
		token.KwTranslator, token.KwTypedef, token.KwUnion, token.KwUnsigned, token.KwUserland,
		token.KwVoid, token.KwVolatile:
		return true
	}
	return false
}
