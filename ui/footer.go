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

// hints returns the keys of the bottom line: those of what lies over the panes; else those
// of the pane in focus, then those of the root, as many as there is room for, and at the end
// always the one for help.
func (m *Model) hints() []hint {
	if opened[*whyBox](m) != nil {
		return m.placeHints(m.box.Keys(), widget.Help{})
	}
	if m.overlay != nil {
		return m.placeHints(m.overlay.table(m).Helps(m, m.keys), widget.Help{})
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
		rows = append(rows, back.Helps(m, m.keys)...)
	}
	return m.placeHints(rows, m.helpHint())
}

// helpHint is the key for help: a letter where no text is typed, if there is one.
func (m *Model) helpHint() (out widget.Help) {
	for _, table := range m.tables() {
		for _, h := range table.Helps(m, m.keys) {
			if h.Action == "help.open" && len(h.On) > 0 {
				out = widget.Help{On: h.On, Hint: "help"}
			}
		}
	}
	return out
}

// placeHints places those of rows that are to be had, as many as there is room for before
// the last, which always has its place; its Hint may be "". A key is told of once, as the
// first that it does is what it does.
func (m *Model) placeHints(rows []widget.Help, last widget.Help) []hint {
	var out []hint
	told := map[string]bool{}
	x, kept := 1, 0
	place := func(h widget.Help) bool {
		if h.Hint == "" || h.Off != "" || len(h.On) == 0 || told[h.On[0]] {
			return true
		}
		key := keymap.Label(h.On[0], m.opts.ASCII)
		w := ink.Width(key) + 1 + ink.Width(h.Hint)
		if x+w+kept > m.w {
			return false
		}
		told[h.On[0]] = true
		out = append(out, hint{h.On[0], key + " " + h.Hint, x, w})
		x += w + 2
		return true
	}
	if last.Hint != "" {
		kept = 2 + ink.Width(keymap.Label(last.On[0], m.opts.ASCII)) + 1 + ink.Width(last.Hint)
	}
	for _, h := range rows {
		if h.Hint != last.Hint && !place(h) {
			break
		}
	}
	kept = 0
	place(last)
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
