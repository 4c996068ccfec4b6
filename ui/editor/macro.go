package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/widget"
)

// macros are keys that q of Vim records, those of questions and of completions too, so that @
// presses what was pressed.
type macros struct {
	into rune // where keys go; 0 if none are recorded
	keys []tea.KeyMsg
	kept map[rune][]tea.KeyMsg
	last rune // was played last: @@
	deep int  // how many are played inside one another
}

// What bounds macros that play one another, or themselves.
const (
	mostDeep   = 100
	mostPlayed = 1000
)

// note records a key that was pressed, not played.
func (k *macros) note(msg tea.KeyMsg) {
	if k.into != 0 && k.deep == 0 {
		k.keys = append(k.keys, msg)
	}
}

// record records from now on; 0 ends that, by a key that is none of them.
func (k *macros) record(into rune) {
	if into == 0 {
		if k.kept == nil {
			k.kept = map[rune][]tea.KeyMsg{}
		}
		k.kept[k.into] = k.keys[:max(len(k.keys)-1, 0)]
	}
	k.into, k.keys = into, nil
}

// play presses recorded keys again, up to one that cannot do what it should: so a macro that is
// played very often ends with the text.
func (m *Model) play(name rune, times int) tea.Cmd {
	k := &m.macros
	if name == '@' {
		name = k.last
	}
	if k.last = name; len(k.kept[name]) == 0 {
		m.notice = "nothing is recorded as " + widget.Safe(string(name))
		return nil
	}
	if k.deep >= mostDeep {
		return nil
	}
	k.deep++
	defer func() { k.deep-- }()
	var cmds []tea.Cmd
	for range min(times, mostPlayed) {
		for _, msg := range k.kept[name] {
			if cmds = append(cmds, m.key(msg)); m.hands.Failed() {
				return tea.Batch(cmds...)
			}
		}
	}
	return tea.Batch(cmds...)
}
