package drain

import (
	"fmt"
	"time"

	"dscope.dev/engine/trace"
)

// Notify puts something that the engine has to tell into the stream of events.
func (d *Drain) Notify(kind trace.ItemKind, text string) {
	d.notices = append(d.notices, trace.Event{Kind: trace.NoticeEvent, Time: time.Now(), CPU: -1, Items: []trace.Item{{Kind: kind, Text: text}}})
}

// tellUnread says which interpreters stacks show functions of C of, because what they run is
// not understood.
func (d *Drain) tellUnread() {
	for _, name := range d.names.Unread() {
		d.Notify(trace.WarnItem, fmt.Sprintf("stacks show functions of C where %s runs functions of Python: those of CPython 3.11 to 3.13 are read; from 3.12 on, python -X perf has them named", name))
	}
}
