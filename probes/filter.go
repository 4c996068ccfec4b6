package probes

import (
	"hash/maphash"
	"slices"
)

// A kernel has a hundred thousand functions, a script may name hundreds of them, and an editor
// asks for all of its descriptions at each key. So what was found is kept, and functions that are
// named outright are not looked for among all.
const (
	mostKept   = 1 << 16 // probes in the answers that are kept, each of which counts as one more
	mostAnswer = mostKept / 16
	indexAfter = 8 // searches that cost as much as the index
)

// sought is what a family that can be listed remembers of searches. Its list does not change.
type sought struct {
	answers map[Pattern][]Entry
	kept    int
	named   int    // searches for functions that were named outright
	index   *index // nil before it pays
}

// Lasts reports whether what pat covers is the same whenever it is asked for: only families that can
// be listed may have probes for it.
func (r *Registry) Lasts(pat Pattern) bool {
	for _, f := range r.families {
		if f.traits.Endless && f.covers(pat.Provider) && (pat.Provider == "" || f.traits.mayMatch(pat)) {
			return false
		}
	}
	return true
}

// filter returns the probes that pat covers, of a family that can be listed. They are the
// family's, and not to be changed.
func (f *family) filter(pat Pattern) []Entry {
	pat.Provider = "" // settled
	for _, part := range []*string{&pat.Module, &pat.Function, &pat.Name} {
		if *part == "*" {
			*part = "" // is the same, and soon found
		}
	}
	if pat == (Pattern{}) {
		return slices.Clip(f.entries)
	}
	f.mu.Lock()
	found, known := f.sought.answers[pat]
	if known {
		f.mu.Unlock()
		return found
	}
	x := f.sought.by(pat, f.entries)
	f.mu.Unlock()
	found = slices.Clip(search(f.entries, x, pat))
	f.mu.Lock()
	f.sought.keep(pat, found)
	f.mu.Unlock()
	return found
}

// keep remembers an answer, for which all others may be forgotten.
func (s *sought) keep(pat Pattern, found []Entry) {
	if len(found) > mostAnswer {
		return
	}
	if s.kept += len(found) + 1; s.answers == nil || s.kept > mostKept {
		s.answers, s.kept = map[Pattern][]Entry{}, len(found)+1
	}
	s.answers[pat] = found
}

// by returns the index if it serves for pat; nil if all entries are to be looked at.
func (s *sought) by(pat Pattern, entries []Entry) *index {
	if !isName(pat.Function) {
		return nil
	}
	if s.named++; s.named > indexAfter && s.index == nil {
		s.index = newIndex(entries)
	}
	return s.index
}

// search returns the entries that pat covers, whatever their provider.
func search(entries []Entry, x *index, pat Pattern) (found []Entry) {
	const many = 1024 // beyond, room for all costs less than to make more of it again and again
	module, function, name := newPart(pat.Module), newPart(pat.Function), newPart(pat.Name)
	covers := func(e *Entry) bool {
		return function.covers(e.Function) && name.covers(e.Name) && module.covers(e.Module)
	}
	if x != nil {
		for i := x.first(pat.Function); i != 0; i = x.next[i-1] {
			if e := &entries[i-1]; covers(e) {
				found = append(found, *e)
			}
		}
		return found
	}
	for i := range entries {
		if !covers(&entries[i]) {
			continue
		}
		if len(found) == many {
			found = slices.Grow(found, len(entries)-i)
		}
		found = append(found, entries[i])
	}
	return found
}

// An index finds entries by the names of their functions: it has lists of those whose names have
// the same hash. Entries are counted from 1, and 0 ends a list.
type index struct {
	seed  maphash.Seed
	heads []uint32 // by hash; their number is a power of two
	next  []uint32 // by entry
}

func newIndex(entries []Entry) *index {
	size := 1
	for size < len(entries) {
		size *= 2
	}
	x := &index{seed: maphash.MakeSeed(), heads: make([]uint32, size), next: make([]uint32, len(entries))}
	for i := range slices.Backward(entries) { // so that lists are in the order of the numbers
		head := x.head(entries[i].Function)
		x.next[i], *head = *head, uint32(i+1)
	}
	return x
}

func (x *index) head(function string) *uint32 {
	return &x.heads[maphash.String(x.seed, function)&uint64(len(x.heads)-1)]
}

func (x *index) first(function string) uint32 { return *x.head(function) }
