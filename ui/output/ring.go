package output

import (
	"bytes"
	"slices"
	"sort"
	"time"

	"dscope.dev/engine/trace"
)

// A ring keeps the latest entries within a bound of lines and bytes.
type ring struct {
	entries  []entry // entries[head:] are kept, in order
	head     int
	bytes    int
	next     uint64 // number of the line that the next entry begins with
	maxLines uint64
	maxBytes int
}

// An entry is an event or a line of the workbench's own.
type entry struct {
	event *trace.Event // nil if note is set; of kind PrintsEvent if the entry is one of its firings
	note  string
	first uint64 // number of its first line
	lines uint32
	bytes uint32
	nth   uint32 // which of the firings
	loud  bool   // the note is no rule between runs but a message
	more  bool   // it goes on from the line before
}

func newRing(lines uint64, bytes int) *ring {
	return &ring{maxLines: lines, maxBytes: bytes}
}

// begin returns the number of the first line kept; as lines are numbered from
// 0, it is also how many were let go.
func (r *ring) begin() uint64 {
	if r.head < len(r.entries) {
		return r.entries[r.head].first
	}
	return r.next
}

// end returns one more than the number of the last line.
func (r *ring) end() uint64 { return r.next }

// add appends an event, unless it takes no line.
func (r *ring) add(e *trace.Event) {
	if lines, bytes := measure(e); lines > 0 {
		r.put(lines, bytes).event = e
	}
}

// addNote appends a line of the workbench's own.
func (r *ring) addNote(text string, loud, more bool) {
	n := r.put(1, 64+len(text))
	n.note, n.loud, n.more = text, loud, more
}

// addPrints appends an entry for each firing of e.
func (r *ring) addPrints(e *trace.Event) {
	for i := range e.Prints.List {
		text := e.Prints.At(i)
		lines := bytes.Count(text, newline)
		if lines == 0 || text[len(text)-1] != '\n' {
			lines++
		}
		one := r.put(lines, share+len(text))
		one.event, one.nth = e, uint32(i)
	}
}

// share is about what a firing takes in memory that shares its event with others, beside its
// text.
const share = 104

var newline = []byte("\n")

// put appends an entry of so many lines and bytes, which is returned to be filled in, and lets
// go of the oldest beyond the bounds. The newest entry stays, however large.
func (r *ring) put(lines, bytes int) *entry {
	r.entries = append(r.entries, entry{first: r.next, lines: uint32(lines), bytes: uint32(bytes)})
	r.next += uint64(lines)
	r.bytes += bytes
	for r.head < len(r.entries)-1 && (r.next-r.entries[r.head].first > r.maxLines || r.bytes > r.maxBytes) {
		oldest := &r.entries[r.head]
		r.bytes -= int(oldest.bytes)
		oldest.event, oldest.note = nil, "" // which are memory
		r.head++
	}
	if r.head > 1024 && r.head > len(r.entries)/2 {
		n := copy(r.entries, r.entries[r.head:])
		clear(r.entries[n:])
		r.entries, r.head = r.entries[:n], 0
	}
	return &r.entries[len(r.entries)-1]
}

// shares reports whether an entry has its event in common with others.
func (e *entry) shares() bool { return e.event != nil && e.event.Kind == trace.PrintsEvent }

// own returns the event of an entry, nil if it has none.
func (e *entry) own() *trace.Event {
	if !e.shares() {
		return e.event
	}
	one := e.event.Print(int(e.nth))
	return &one
}

// sparse reports whether less than half of a batch is kept. An event that is kept as it came
// keeps the memory of its batch, and of what was recorded with it, from being freed: then
// the bound of bytes would not hold.
func sparse(events []trace.Event) bool {
	n := 0
	for i := range events {
		if prints(&events[i]) {
			n++
		}
	}
	return n < len(events)/2
}

// detached returns an event that shares no memory with those of its batch.
func detached(e *trace.Event) *trace.Event {
	one := *e
	one.Items = slices.Clone(e.Items)
	return &one
}

// until returns the last line of what came no later than t and stands in lines from up to
// to, or else the first of these.
func (r *ring) until(t time.Time, from, to uint64) uint64 {
	for i := len(r.entries) - 1; i >= r.head; i-- {
		if e := &r.entries[i]; e.event != nil && e.first < to && e.first >= from && !e.event.Time.After(t) {
			return e.first + uint64(e.lines) - 1
		}
	}
	return max(from, r.begin())
}

// clear lets go of everything; numbering goes on.
func (r *ring) clear() { r.entries, r.head, r.bytes = nil, 0, 0 }

// at returns the entry that line n belongs to; ok is false if it is not kept.
func (r *ring) at(n uint64) (e *entry, ok bool) {
	kept := r.entries[r.head:]
	i := sort.Search(len(kept), func(i int) bool { return kept[i].first > n }) - 1
	if i < 0 || n >= kept[i].first+uint64(kept[i].lines) {
		return nil, false
	}
	return &kept[i], true
}
