package output

import (
	"fmt"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// overhead is about what an event takes in memory beside its texts, its entry included.
const overhead = 320

// measure returns how many lines an event prints, and about how many bytes it
// holds. It must agree with format; a test compares them.
func measure(e *trace.Event) (lines, bytes int) {
	if e.Kind != trace.DataEvent || len(e.Items) == 0 {
		return 1, overhead
	}
	if !prints(e) {
		return 0, 0
	}
	c := counter{}
	bytes = overhead
	for i := range e.Items {
		it := &e.Items[i]
		bytes += 128 + len(it.Text) + len(it.Rest().Output) + len(it.Value.Str) + 64*len(it.Value.Frames)
		bytes += c.item(it)
	}
	return max(c.lines+c.open, 1), bytes
}

// prints reports whether an event takes any line.
func prints(e *trace.Event) bool {
	if e.Kind != trace.DataEvent || len(e.Items) == 0 {
		return true
	}
	for i := range e.Items { // an item is large, so it is not handed on
		if k := e.Items[i].Kind; k != trace.EmptyItem && k != trace.SetoptItem {
			return true
		}
	}
	return false
}

// A counter counts the lines that a writer would write.
type counter struct {
	lines int // ended
	open  int // 1 if the last line has something in it
}

func (c *counter) text(s string) {
	if s == "" {
		return
	}
	c.lines += strings.Count(s, "\n")
	if strings.HasSuffix(s, "\n") {
		c.open = 0
	} else {
		c.open = 1
	}
}

// block counts n whole lines, which begin on a line of their own.
func (c *counter) block(n int) {
	if n > 0 {
		c.lines += c.open + n
		c.open = 0
	}
}

// item counts one item and returns what its tables hold in bytes.
func (c *counter) item(it *trace.Item) (bytes int) {
	switch it.Kind {
	case trace.PrintfItem, trace.PrintaItem, trace.PrintItem:
		c.text(it.Text)
	case trace.SystemItem, trace.FreopenItem, trace.FtruncateItem, trace.WarnItem, trace.PcapItem:
		c.outside(it)
	case trace.StackItem:
		c.block(len(it.Value.Frames))
	case trace.BytesItem:
		c.block((len(it.Value.Str) + 15) / 16)
	case trace.TablesItem:
		for i := range it.Rest().Tables {
			t := &it.Rest().Tables[i]
			c.block(tableLines(t))
			bytes += tableBytes(t)
		}
	case trace.ValueItem, trace.SymItem:
		switch {
		case datum.HasFrames(it.Value):
			c.block(len(it.Value.Frames))
		case spell.IsDump(&it.Value):
			c.block((len(it.Value.Str) + 15) / 16)
		default:
			c.open = 1
		}
	}
	return bytes
}

func tableLines(t *trace.Table) int {
	n := 1
	for i := range t.Rows {
		r := &t.Rows[i]
		if t.Func.IsHistogram() {
			n += len(r.Buckets)
			if len(r.Keys) > 0 {
				n++
			}
		} else {
			n++
		}
	}
	return n
}

func tableBytes(t *trace.Table) int {
	n := 0
	for i := range t.Rows {
		n += 128 + 64*len(t.Rows[i].Buckets)
		for _, k := range t.Rows[i].Keys {
			n += 64 + len(k.Str) + 64*len(k.Frames)
		}
	}
	return n
}

// A writer makes the lines of one event.
type writer struct {
	lines []string
	cur   strings.Builder
	open  bool
}

// A memo remembers the lines of the event that was formatted last: a printed
// table has thousands of lines, and they are asked for one by one.
type memo struct {
	event *trace.Event
	lines []string

	shared *trace.Event // of which a firing was made an event last
	nth    uint32
	made   *trace.Event
}

// own returns the event of an entry, the same one as long as no other is asked for.
func (c *memo) own(e *entry) *trace.Event {
	if !e.shares() {
		return e.event
	}
	if c.shared != e.event || c.nth != e.nth {
		c.shared, c.nth, c.made = e.event, e.nth, e.own()
	}
	return c.made
}

func (c *memo) format(e *trace.Event) []string {
	if c.event != e {
		c.event, c.lines = e, format(e)
	}
	return c.lines
}

// Lines returns what an event prints, harmless; nothing if it prints nothing. That exit()
// was called the status tells.
func Lines(e *trace.Event) []string {
	switch {
	case !prints(e), e.Kind == trace.ExitEvent:
		return nil
	case e.Kind == trace.FaultEvent:
		return []string{datum.Fault(e.Probe, e.Fault)}
	case e.Kind == trace.DropEvent:
		return []string{datum.Drop(e.Drop)}
	}
	return format(e)
}

// format returns the lines of a data event, harmless.
func format(e *trace.Event) []string {
	var w writer
	for i := range e.Items {
		w.item(&e.Items[i])
	}
	if w.open {
		w.end()
	}
	if len(w.lines) == 0 {
		return []string{""}
	}
	return w.lines
}

func (w *writer) end() {
	w.lines = append(w.lines, w.cur.String())
	w.cur.Reset()
	w.open = false
}

func (w *writer) text(s string) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		if line != "" {
			w.cur.WriteString(widget.Safe(line))
			w.open = true
		}
		if !more {
			return
		}
		w.end()
		s = rest
	}
}

// word adds a value, apart from what stands before it.
func (w *writer) word(s string) {
	if w.cur.Len() > 0 {
		w.cur.WriteString("  ")
	}
	w.cur.WriteString(s)
	w.open = true
}

// whole adds a line of its own.
func (w *writer) whole(s string) {
	if w.open {
		w.end()
	}
	w.lines = append(w.lines, s)
}

func (w *writer) item(it *trace.Item) {
	switch it.Kind {
	case trace.PrintfItem, trace.PrintaItem, trace.PrintItem:
		w.text(it.Text)
	case trace.SystemItem, trace.FreopenItem, trace.FtruncateItem, trace.WarnItem, trace.PcapItem:
		w.outside(it)
	case trace.StackItem:
		w.frames(it.Value.Frames)
	case trace.BytesItem:
		w.dump(it.Value.Str)
	case trace.TablesItem:
		for i := range it.Rest().Tables {
			w.table(&it.Rest().Tables[i])
		}
	case trace.ValueItem, trace.SymItem:
		switch {
		case datum.HasFrames(it.Value):
			w.frames(it.Value.Frames)
		case spell.IsDump(&it.Value):
			w.dump(it.Value.Str)
		default:
			w.word(datum.Text(it.Value))
		}
	}
}

func (w *writer) frames(frames []trace.Frame) {
	for _, f := range frames {
		w.whole("    " + datum.Frame(f))
	}
}

// dump writes bytes as tracemem does: sixteen a line, in digits and letters.
func (w *writer) dump(s string) {
	for at := 0; at < len(s); at += 16 {
		w.whole(string(spell.AppendDump(nil, at, s[at:min(at+16, len(s))])))
	}
}

// table writes an aggregation that printa() printed.
func (w *writer) table(t *trace.Table) {
	w.whole("@" + widget.Safe(t.Name) + " " + t.Func.String() + "()")
	width := 0
	for i := range t.Rows {
		width = max(width, ink.Width(keyText(&t.Rows[i])))
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if !t.Func.IsHistogram() {
			key := keyText(r)
			w.whole(fmt.Sprintf("  %s%s  %12s", key, ink.Blank(min(width, 60)-ink.Width(key)), spell.AppendAmount(nil, t.Func, spell.Shown(t, r))))
			continue
		}
		if len(r.Keys) > 0 {
			w.whole("  " + keyText(r))
		}
		w.buckets(r.Buckets, t.Normal)
	}
}

// buckets writes a histogram with bars of 40 characters, as DTrace does.
func (w *writer) buckets(list []trace.Bucket, normal uint64) {
	lines := strings.TrimSuffix(string(spell.AppendHistogram(nil, list, normal, spell.OfSum, 2)), "\n")
	if len(list) == 0 {
		return
	}
	for line := range strings.SplitSeq(lines, "\n") {
		w.whole(widget.Safe(strings.TrimRight(line, " ")))
	}
}

// keyText writes the keys of a row on one line.
func keyText(r *trace.Row) string {
	parts := make([]string, len(r.Keys))
	for i, k := range r.Keys {
		parts[i] = datum.Text(k)
	}
	return strings.Join(parts, "  ")
}
