package output

import (
	"fmt"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// What a script asks for beyond its output is shown as what it is. Commands of
// system() have been run, and what they wrote is part of the run; files of
// freopen() are not opened here, for all output stays in this pane, which says so.

// saying is the line that tells of an action; "" if there is nothing to tell.
func saying(it *trace.Item) string {
	switch it.Kind {
	case trace.SystemItem:
		return "$ " + widget.Safe(it.Text)
	case trace.FreopenItem:
		if it.Text == "" {
			return "freopen: back to where the output went at first"
		}
		return "freopen: " + widget.Safe(it.Text) + " (output stays here)"
	case trace.FtruncateItem:
		return "ftruncate (nothing is cut here)"
	case trace.WarnItem:
		return "error: " + widget.Safe(it.Text)
	case trace.PcapItem:
		if p := it.Rest().Packet; p != nil {
			return fmt.Sprintf("packet of %d bytes, protocol %d", p.Length, p.Proto)
		}
	}
	return ""
}

// bytesOf returns what is shown below the line as bytes.
func bytesOf(it *trace.Item) string {
	if it.Kind == trace.PcapItem && it.Rest().Packet != nil {
		return it.Rest().Packet.Data
	}
	return ""
}

// outside counts what a writer writes.
func (c *counter) outside(it *trace.Item) {
	if saying(it) != "" {
		c.block(1)
	}
	c.text(it.Rest().Output)
	c.block((len(bytesOf(it)) + 15) / 16)
}

func (w *writer) outside(it *trace.Item) {
	if s := saying(it); s != "" {
		w.whole(s)
	}
	w.text(it.Rest().Output)
	w.dump(bytesOf(it))
}
