package browser

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
)

// An index is the names of all probes, made ready for searching as one types.
// It is built once and never changes, so that searches may run beside the
// screen.
//
// A query is words; a probe matches if each word is in its name, as it stands
// or with other characters between. Three things make that fast enough for
// every key: the names lie in one string in lower case; each has a mask of the
// characters that it holds, which rules out most names with one instruction;
// and a query that goes on where the last one ended looks only at what that
// one found.
type index struct {
	probes []trace.Probe
	text   string   // all names, lower case
	from   []uint32 // where each name begins; one more than there are probes
	masks  []uint64 // the characters of each name
}

// newIndex prepares probes for searching.
func newIndex(probes []trace.Probe) *index {
	x := &index{probes: probes, from: make([]uint32, 0, len(probes)+1), masks: make([]uint64, 0, len(probes))}
	buf := make([]byte, 0, len(probes)*48)
	for i := range probes {
		p := &probes[i]
		start := len(buf)
		x.from = append(x.from, uint32(start))
		for n, part := range [...]string{p.Provider, p.Module, p.Function, p.Name} {
			if n > 0 {
				buf = append(buf, ':')
			}
			for j := range len(part) {
				buf = append(buf, lower(part[j]))
			}
		}
		var mask uint64
		for _, c := range buf[start:] {
			mask |= bit(c)
		}
		x.masks = append(x.masks, mask)
	}
	x.from = append(x.from, uint32(len(buf)))
	x.text = string(buf)
	return x
}

// name returns the name of probe i in lower case.
func (x *index) name(i uint32) string { return x.text[x.from[i]:x.from[i+1]] }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// bit returns the mask of a character; rare ones share bits.
func bit(c byte) uint64 {
	switch {
	case c >= 'a' && c <= 'z':
		return 1 << (c - 'a')
	case c >= '0' && c <= '9':
		return 1 << (26 + c - '0')
	case c == ':':
		return 1 << 36
	case c == '_':
		return 1 << 37
	}
	return 1 << (38 + c%26)
}

// A result is the probes that a query found, best first.
type result struct {
	query string
	found []uint32 // indices of probes
}

// search returns the probes that match query, best first. last is an earlier
// result of the same index, or nil; where query only adds to its query, only
// what it found is looked at. If ctx ends early the result is nil.
func (x *index) search(ctx context.Context, query string, last *result) *result {
	words := split(query)
	among, narrow := 0, last != nil && last.query != "" && strings.HasPrefix(query, last.query)
	if narrow {
		among = len(last.found)
	} else {
		among = len(x.probes)
	}
	var need uint64
	for _, w := range words {
		for i := range len(w) {
			need |= bit(w[i])
		}
	}
	ranked := make([]uint64, 0, among/4+16)
	for n := range among {
		if n%8192 == 0 && ctx.Err() != nil {
			return nil
		}
		i := uint32(n)
		if narrow {
			i = last.found[n]
		}
		if x.masks[i]&need != need {
			continue
		}
		if s, ok := rank(x.name(i), words); ok {
			ranked = append(ranked, uint64(worst-s)<<32|uint64(i))
		}
	}
	slices.Sort(ranked)
	r := &result{query: query, found: make([]uint32, len(ranked))}
	for n, k := range ranked {
		r.found[n] = uint32(k)
	}
	return r
}

// split returns the words of a query. Blanks part words, and so does what
// stands for anything in a probe description: a star, and an empty part.
// Whatever is typed behind a query only adds to its words.
func split(query string) []string {
	return strings.Fields(strings.NewReplacer("*", " ", "::", ": :").Replace(strings.ToLower(query)))
}

// worst bounds scores, so that a greater score sorts first as a smaller number.
const worst = 1 << 20

// rank scores a name for all words; ok is false if one is not in it.
func rank(name string, words []string) (score int, ok bool) {
	for _, w := range words {
		s := score1(name, w)
		if s < 0 {
			return 0, false
		}
		score += s
	}
	return min(max(score-len(name), 0), worst), true
}

// The parts of a score. A word as it stands beats one with gaps; whole parts
// of the name beat beginnings of parts, those beat beginnings of words within
// parts. The later parts, function and name, are what people look for.
const (
	asItStands  = 2000
	wholePart   = 900
	atPart      = 500
	atWord      = 250
	endsPart    = 120
	perGap      = 30
	perBoundary = 40
	spreadBase  = 600
)

// score1 scores a name for one word, or returns -1.
func score1(name, w string) int {
	best := -1
	for at := strings.Index(name, w); at >= 0; {
		s := asItStands
		starts, ends := at == 0 || name[at-1] == ':', at+len(w) == len(name) || name[at+len(w)] == ':'
		switch {
		case starts && ends:
			s += wholePart
		case starts:
			s += atPart
		case name[at-1] == '_':
			s += atWord
		}
		if ends && !starts {
			s += endsPart
		}
		best = max(best, s)
		next := strings.Index(name[at+1:], w)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if best >= 0 {
		return best
	}
	return spread(name, w)
}

// spread scores a word whose characters stand in the name in order but apart:
// fewer gaps and more beginnings of words are better.
func spread(name, w string) int {
	at, ok := spreadFrom(name, w)
	if !ok {
		return -1
	}
	score, last := spreadBase, -1
	for i := range len(w) {
		j := at + strings.IndexByte(name[at:], w[i])
		if last >= 0 && j > last+1 {
			score -= perGap + bits.Len(uint(j-last))
		}
		if j == 0 || name[j-1] == ':' || name[j-1] == '_' {
			score += perBoundary
		}
		last, at = j, j+1
	}
	return max(score, 0)
}

// spreadFrom returns where the characters of w begin that stand closest
// together: forward to where they can end first, then back from there.
func spreadFrom(name, w string) (at int, ok bool) {
	for i := range len(w) {
		j := strings.IndexByte(name[at:], w[i])
		if j < 0 {
			return 0, false
		}
		at += j + 1
	}
	for i := len(w) - 1; i >= 0; i-- {
		at = strings.LastIndexByte(name[:at], w[i])
	}
	return at, true
}

// marks returns which bytes of a name matched the query, for drawing.
func marks(name, query string) []bool {
	lowered := strings.ToLower(name)
	if len(lowered) != len(name) {
		return nil
	}
	out := make([]bool, len(name))
	for _, w := range split(query) {
		if i := bestAt(lowered, w); i >= 0 {
			for j := range w {
				out[i+j] = true
			}
			continue
		}
		at, ok := spreadFrom(lowered, w)
		for i := 0; ok && i < len(w); i++ {
			at += strings.IndexByte(lowered[at:], w[i])
			out[at] = true
			at++
		}
	}
	return out
}

// bestAt returns where a word stands in a name as it was scored: at the
// beginning of a part if it does so anywhere.
func bestAt(name, w string) int {
	if i := strings.Index(name, ":"+w); i >= 0 {
		return i + 1
	}
	return strings.Index(name, w)
}
