package question

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// What a word counts that is found, by where it is. A phrase that is all that was typed
// counts much more, less if words of it are left, and the less the later it stands.
const (
	inName   = 4
	inWords  = 4
	inTitle  = 3
	inRest   = 1
	asPhrase = 30
	inPhrase = 6
)

// idle are words that people type and that tell nothing apart.
var idle = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "at": true, "by": true, "do": true, "does": true, "for": true,
	"has": true, "have": true, "how": true, "i": true, "in": true, "is": true, "it": true, "of": true, "on": true,
	"or": true, "that": true, "the": true, "to": true, "what": true, "which": true, "why": true,
}

// Find returns the questions that a query in plain words means, best first. All of its words
// have to be found in a question; where no question has them all, those are returned that
// have most of them. An empty query means every question.
func Find(query string) []Question {
	words := tokens(query)
	if len(words) == 0 {
		return All()
	}
	var list []Question
	for _, h := range hits(words) {
		list = append(list, h.Question)
	}
	return list
}

// Meant returns the question that a query means beyond doubt: it has the query for a name, or
// the query is a whole phrase of it and of no other that fits as well, or it is all in a phrase
// of it and no other has all the words. Known is false if there is doubt.
func Meant(query string) (_ Question, known bool) {
	if q, ok := Named(strings.ToLower(strings.TrimSpace(query))); ok {
		return q, true
	}
	words := tokens(query)
	list := hits(words)
	if len(list) == 0 || list[0].found < len(words) {
		return Question{}, false
	}
	first := list[0].Question
	if len(list) == 1 {
		return first, first.says(words, false)
	}
	return first, list[0].score > list[1].score && first.says(words, true)
}

// says reports whether all words are in one phrase, in any order; if whole is set, nothing
// but them.
func (q *Question) says(words []string, whole bool) bool {
	return slices.ContainsFunc(append([]string{q.Title, q.Name}, q.Words...), func(phrase string) bool {
		said := tokens(phrase)
		return fits(words, said) > 0 && (!whole || len(said) == len(words))
	})
}

// A hit is a question that has words of a query.
type hit struct {
	Question
	found, score int
}

// hits returns the questions that have most of the words, best first.
func hits(words []string) []hit {
	var hits []hit
	most := 0
	for _, q := range catalogue() {
		found, score := q.score(words)
		if found > 0 {
			hits = append(hits, hit{q, found, score})
			most = max(most, found)
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.found < most })
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// tokens returns the words of a text that tell something, in small letters.
func tokens(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		if !idle[w] {
			out = append(out, w)
		}
	}
	return out
}

// score tells how many of the words are in a question, and how well it fits them.
func (q *Question) score(words []string) (found, score int) {
	places := []struct {
		words  []string
		weight int
	}{
		{tokens(q.Name), inName},
		{tokens(strings.Join(q.Words, " ")), inWords},
		{tokens(q.Title), inTitle},
		{tokens(q.Area + " " + q.Attaches), inRest},
	}
	var known []string
	for _, w := range words {
		best := 0
		for _, p := range places {
			best = max(best, p.weight*likeness(w, p.words))
		}
		if best > 0 {
			known = append(known, w)
			score += best
		}
	}
	if len(known) == 0 {
		return 0, 0
	}
	best := 0
	for i, phrase := range append([]string{q.Title, q.Name}, q.Words...) {
		best = max(best, fits(known, tokens(phrase))-2*i)
	}
	return len(known), score + best
}

// fits tells how well what was typed fits a phrase that has all of its words, in any order:
// the better, the less is left of the phrase. It is 0 if a word is not there.
func fits(typed, phrase []string) int {
	n := 0
	for _, w := range typed {
		l := likeness(w, phrase)
		if l == 0 {
			return 0
		}
		n += l
	}
	return asPhrase*n/(3*len(typed)) - inPhrase*max(len(phrase)-len(typed), 0)
}

// likeness is 3 if a word is among list, 2 if one of list begins with it, as while it is
// being typed, 1 if one differs in its ending alone, and else 0.
func likeness(word string, list []string) int {
	best := 0
	for _, w := range list {
		switch {
		case w == word:
			return 3
		case len(word) >= 2 && strings.HasPrefix(w, word):
			best = max(best, 2)
		case sameStem(w, word):
			best = max(best, 1)
		}
	}
	return best
}

// sameStem reports whether two words differ in their ending alone: write and writing,
// latency and latencies, read and reads.
func sameStem(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	short := min(len(a), len(b))
	return n >= 3 && (n == short || n >= 4 && n == short-1) && max(len(a), len(b))-n <= 3
}
