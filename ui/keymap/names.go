package keymap

import (
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// ParseKey returns the key of a name as a map spells it, the inverse
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
	if k, ok := types()[rest]; ok {
		msg.Type = k
		return msg, true
	}
	return tea.KeyMsg{}, false
}

// types are the keys that have names. Their types are small integers: control characters
// from 0 to 127, named keys below zero; the range is wider than today's. Of several with one
// name the first counts.
var types = sync.OnceValue(func() map[string]tea.KeyType {
	out := map[string]tea.KeyType{}
	for k := tea.KeyType(-200); k < 128; k++ {
		if _, taken := out[k.String()]; !taken && k != tea.KeyRunes && k != tea.KeySpace {
			out[k.String()] = k
		}
	}
	return out
})

// KeyName returns the name of a key as a map spells it: bubbletea's, with the blank
// written as space. Terminals send the same code for ctrl+@ as for ctrl+space, which is
// what people press.
func KeyName(msg tea.KeyMsg) string {
	name := msg.String()
	if name == "ctrl+@" {
		return "ctrl+space"
	}
	if strings.HasSuffix(name, " ") {
		return strings.TrimSuffix(name, " ") + "space"
	}
	return name
}

// Label returns a key as the screen shows it in little room: ctrl+r is ^R, up is ↑ (or
// up where glyphs are not to be had).
func Label(key string, ascii bool) string {
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok && len(rest) == 1 {
		return "^" + strings.ToUpper(rest)
	}
	if !ascii {
		if glyph, ok := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "⏎"}[key]; ok {
			return glyph
		}
	}
	return pressed(key)
}

// Labels returns keys as help writes them, blank-separated.
func Labels(keys []string) string {
	var out []string
	for _, key := range keys {
		out = append(out, pressed(key))
	}
	return strings.Join(out, " ")
}

// pressed returns the name of what people press for a key.
func pressed(name string) string {
	if name == "f15" {
		return "shift+f3" // terminals know no other F15
	}
	return name
}
