package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// ParseKey returns the key of a name as a table of keys spells it, the inverse
// of KeyName: ctrl+r, alt+up, space, G. ok is false for a name that is none.
func ParseKey(name string) (msg tea.KeyMsg, ok bool) {
	rest, alt := strings.CutPrefix(name, "alt+")
	msg.Alt = alt
	if rest == "ctrl+space" {
		rest = "ctrl+@" // what terminals send for it
	}
	if rest == "space" {
		msg.Type, msg.Runes = tea.KeySpace, []rune{' '}
		return msg, true
	}
	if r := []rune(rest); len(r) == 1 {
		msg.Type, msg.Runes = tea.KeyRunes, r
		return msg, true
	}
	// The types of keys are small integers: control characters from 0 to 127,
	// named keys below zero. The range is wider than today's.
	for k := tea.KeyType(-200); k < 128; k++ {
		if k != tea.KeyRunes && k != tea.KeySpace && k.String() == rest {
			msg.Type = k
			return msg, true
		}
	}
	return tea.KeyMsg{}, false
}
