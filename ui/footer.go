package ui

import (
	"slices"
	"strings"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A hint is one of the keys in the bottom line and the cells it takes.
type hint struct {
	on, text string
	x, w     int
}

// hints returns the keys of the bottom line: those of the pane in focus, then
// those of the root, as many as there is room for.
func (m *Model) hints() []hint {
	if opened[*whyBox](m) != nil {
		return m.placeHints(m.box.Keys())
	}
	if m.wide() {
		return m.placeHints(m.overlay.table(m).Helps(m, m.keys))
	}
	var rows []widget.Help
	for _, table := range m.tables() {
		rows = append(rows, table.Helps(m, m.keys)...)
	}
	first := rows[:min(2, len(rows))] // run and stop come first
	if m.visited != nil {             // then the way back
		first = append(slices.Clone(first), widget.Help{On: []string{m.keys.Key("timeline.now")}, Hint: "now"})
	}
	rows = append(append(append([]widget.Help(nil), first...), m.front().Keys()...), rows[min(2, len(rows)):]...)
	if m.focus == editorSlot {
		rows = append(append(rows, back.Helps(m, m.keys)...), widget.Help{On: []string{m.keys.KeyIn("always", "help.open")}, Hint: "help"})
	}
	return m.placeHints(rows)
}

// placeHints places those of rows that are to be had, as many as there is room for.
func (m *Model) placeHints(rows []widget.Help) []hint {
	var out []hint
	x := 1
	for _, h := range rows {
		if h.Hint == "" || h.Off != "" || len(h.On) == 0 {
			continue
		}
		key := keymap.Label(h.On[0], m.opts.ASCII)
		w := ink.Width(key) + 1 + ink.Width(h.Hint)
		if x+w > m.w {
			break
		}
		out = append(out, hint{h.On[0], key + " " + h.Hint, x, w})
		x += w + 2
	}
	return out
}

func (m *Model) drawFooter() string {
	var l ink.Line
	l.Reset(m.w, ink.Ink{})
	for _, h := range m.hints() {
		l.To(h.x)
		key, text, _ := strings.Cut(h.text, " ")
		l.Put(m.looks.key, key)
		l.Put(m.looks.hint, " "+text)
	}
	return l.String()
}
