package timeline

import (
	"slices"
	"time"
)

// mostMarks bounds how many marks a timeline has.
const mostMarks = 32

// Mark sets a mark at a moment, or takes away the one that is there. ok is false if there
// are too many already.
func (t *Timeline) Mark(at time.Duration) (set, ok bool) {
	i, found := slices.BinarySearch(t.marks, at)
	switch {
	case found:
		t.marks = slices.Delete(t.marks, i, i+1)
		return false, true
	case len(t.marks) >= mostMarks:
		return false, false
	}
	t.marks = slices.Insert(t.marks, i, at)
	return true, true
}

// Marks returns the moments that are marked, in order. The caller may not change them.
func (t *Timeline) Marks() []time.Duration { return t.marks }

// Total returns about what the timeline takes with its examples.
func (t *Timeline) Total() int { return t.Bytes() + t.examples.Bytes() }

// End says that nothing is added any more: what that alone needs is given back.
func (t *Timeline) End() { t.key, t.base, t.coder = nil, keyTables{}, coder{} }

// Shrink makes do with so many bytes for the frames, if not with fewer, and without the
// examples. The last frame stays, and those at marks. Nothing may be added any more.
func (t *Timeline) Shrink(frames int) {
	t.examples = NewExamples(0)
	t.End()
	t.budget = frames + t.names.bytes
	for t.Bytes() > t.budget && len(t.frames) > 2 && t.rarer < 1<<20 {
		t.rarer *= 2
		t.drop(t.rarer)
	}
}

// Frames returns about what the frames take, without their names.
func (t *Timeline) Frames() int { return t.bytes }
