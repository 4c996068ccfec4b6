package syntax

import (
	"slices"
	"sort"

	"dscope.dev/dlang/token"
)

// A Script is the words of a text under change. After an edit it scans again
// only the clauses that the edit touched.
//
// What makes that right: behind a probe description a clause may begin, and
// there the scanner remembers nothing of what came before. So it may start
// afresh at a description if it reads the same one there, and where it meets
// one that it met before in the same place, the rest is as it was. Whether a
// word is a description depends on the token behind it too, so that one must
// be untouched and no comment.
type Script struct {
	src   string
	words []Word
}

// Set takes a new text.
func (s *Script) Set(src string) {
	s.src, s.words = src, Words(src)
}

// tries is how many clauses beyond the edit are tried before the whole rest of
// the script is scanned again.
const tries = 3

// Edit takes the text after a change: bytes [from, oldTo) of the text before
// gave way to [from, newTo) of src.
func (s *Script) Edit(src string, from, oldTo, newTo int) {
	delta := newTo - oldTo
	lo, n := s.before(from), 0
	for hi := s.behind(oldTo); n < tries && hi+1 < len(s.words); hi++ {
		if !s.mayStart(hi) {
			continue
		}
		n++
		mid, ok := s.rescan(src, lo, s.words[hi+1].To+delta)
		if !ok {
			break
		}
		w := s.words[hi]
		i := sort.Search(len(mid), func(i int) bool { return mid[i].From >= w.From+delta })
		if i < len(mid) && mid[i].Kind == token.Probe && mid[i].From == w.From+delta && mid[i].To == w.To+delta {
			s.join(src, lo, mid[:i], hi, delta)
			return
		}
	}
	mid, ok := s.rescan(src, lo, len(src))
	if !ok {
		lo, mid = 0, Words(src)
	}
	s.src, s.words = src, append(s.words[:lo], mid...)
}

// before returns the last word before offset from at which the scanner may
// start.
func (s *Script) before(from int) int {
	i := sort.Search(len(s.words), func(i int) bool { return s.words[i].From >= from })
	for i -= 2; i > 0; i-- { // the token behind it begins before from too
		if s.mayStart(i) {
			return i
		}
	}
	return 0
}

// behind returns the first word that begins at or behind offset off.
func (s *Script) behind(off int) int {
	return sort.Search(len(s.words), func(i int) bool { return s.words[i].From >= off })
}

// mayStart reports whether word i is a probe description with a token behind it.
func (s *Script) mayStart(i int) bool {
	return s.words[i].Kind == token.Probe && i+1 < len(s.words) && s.words[i+1].Kind != token.Comment
}

// rescan returns the words of src from word lo to offset end. ok is false if
// the scanner reads another word there than before.
func (s *Script) rescan(src string, lo, end int) (words []Word, ok bool) {
	start := 0
	if lo > 0 {
		start = s.words[lo].From
	}
	words = Words(src[start:max(min(end, len(src)), start)])
	move(words, start)
	if lo > 0 && (len(words) == 0 || words[0] != s.words[lo]) {
		return nil, false
	}
	return words, true
}

// join puts the script together of words before lo, mid, and those from hi on.
func (s *Script) join(src string, lo int, mid []Word, hi, delta int) {
	s.words = slices.Replace(s.words, lo, hi, mid...)
	move(s.words[lo+len(mid):], delta)
	s.src = src
}

func move(words []Word, by int) {
	if by == 0 {
		return
	}
	for i := range words {
		words[i].From += by
		words[i].To += by
	}
}

// Text returns the text that the words are of.
func (s *Script) Text() string { return s.src }

// Words returns all words. They are valid until the next change.
func (s *Script) Words() []Word { return s.words }

// From returns the words that end after offset off, in order.
func (s *Script) From(off int) []Word {
	return s.words[sort.Search(len(s.words), func(i int) bool { return s.words[i].To > off }):]
}

// At returns the class of the word that covers offset off or, at its end, ends
// there; Plain between words.
func (s *Script) At(off int) Class {
	i := sort.Search(len(s.words), func(i int) bool { return s.words[i].To >= off })
	if i < len(s.words) && s.words[i].From < off {
		return s.words[i].Class
	}
	return Plain
}

// A Clause is where one clause lies: from its first probe description to its
// closing brace, and the opening brace between.
type Clause struct{ From, Open, To int }

// Clauses returns the clauses of the script; one that is not closed yet ends
// with the script, or where the next begins.
func (s *Script) Clauses() []Clause {
	var out []Clause
	c := Clause{From: -1, Open: -1}
	depth := 0
	for _, w := range s.words {
		switch w.Kind {
		case token.Probe:
			if c.From < 0 {
				c.From = w.From
			}
		case token.LBrace:
			if depth == 0 && c.Open < 0 {
				c.Open = w.From
			}
			depth++
		case token.RBrace:
			depth = max(depth-1, 0)
			if depth == 0 && c.From >= 0 {
				c.To = w.To
				out = append(out, c)
			}
			if depth == 0 {
				c = Clause{From: -1, Open: -1}
			}
		}
	}
	if c.From >= 0 {
		c.To = len(s.src)
		out = append(out, c)
	}
	return out
}

// Match returns the offsets of the bracket at off and of the one that goes
// with it; ok is false if there is no bracket at off or none goes with it.
// Brackets in strings and comments do not count.
func (s *Script) Match(off int) (at, other int, ok bool) {
	i := sort.Search(len(s.words), func(i int) bool { return s.words[i].From >= off })
	if i >= len(s.words) || s.words[i].From != off {
		return 0, 0, false
	}
	open, step := s.words[i].Kind, 1
	pair, isBracket := partner(open)
	if !isBracket {
		return 0, 0, false
	}
	if open == token.RBrace || open == token.RParen || open == token.RBracket {
		step = -1
	}
	for depth, j := 0, i; j >= 0 && j < len(s.words); j += step {
		switch s.words[j].Kind {
		case open:
			depth++
		case pair:
			depth--
		}
		if depth == 0 {
			return off, s.words[j].From, true
		}
	}
	return 0, 0, false
}

// partner returns the bracket that closes or opens k.
func partner(k token.Kind) (token.Kind, bool) {
	switch k {
	case token.LBrace:
		return token.RBrace, true
	case token.RBrace:
		return token.LBrace, true
	case token.LParen:
		return token.RParen, true
	case token.RParen:
		return token.LParen, true
	case token.LBracket:
		return token.RBracket, true
	case token.RBracket:
		return token.LBracket, true
	}
	return token.EOF, false
}
