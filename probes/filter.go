package probes

import (
	"hash/maphash"
	"slices"
)

// indexAfter is how many searches through a family cost as much as its index.
const indexAfter = 8

// filter returns the probes that pat covers, of a family that can be listed. They are
// the family's own if it covers all, and not to be changed.
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
	return search(f.entries, f.by(pat), pat)
}

// by returns the index if it serves for pat; nil if all entries are to be looked at.
func (f *family) by(pat Pattern) *index {
	if !isName(pat.Function) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.named++; f.named > indexAfter && f.index == nil {
		f.index = newIndex(f.entries)
	}
	return f.index
}

// search returns the entries that pat covers, whatever their provider, by their index if there is
// one.
func search(entries []Entry, x *index, pat Pattern) (found []Entry) {
	const many = 1024 // beyond, room for all costs less than to make more of it again and again
	module, function, name := newPart(pat.Module), newPart(pat.Function), newPart(pat.Name)
	covers := func(e *Entry) bool {
		return function.covers(e.Function) && name.covers(e.Name) && module.covers(e.Module)
	}
	if x != nil {
		for i := *x.head(pat.Function); i != 0; i = x.next[i-1] {
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

// An index finds entries by the names of their functions, of which a kernel has tens of thousands
// and a script may name hundreds: it has lists of those whose names have the same hash. Entries are
// counted from 1, and 0 ends a list.
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

// head returns where the list begins that a function would be in.
func (x *index) head(function string) *uint32 {
	return &x.heads[maphash.String(x.seed, function)&uint64(len(x.heads)-1)]
}
