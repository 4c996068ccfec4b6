package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/widget"
)

// stride is how many moments are much: five seconds of a run as it is drained.
const stride = 25

// step takes the whole screen back or forth through what is kept of the run, which
// goes on meanwhile.
func (m *Model) step(by int) tea.Cmd {
	at, ok := m.live.Step(by)
	switch {
	case !ok:
		m.say(plain, "nothing is kept of what was before")
	case m.live.Held() == "":
		m.output.ShowLast()
	default:
		m.output.ShowUntil(m.lookedAt().Number, at)
	}
	return nil
}

// noPast says why there is no moment to go to.
func (m *Model) noPast() string {
	if !m.live.Past() {
		return "no aggregation has arrived yet"
	}
	return ""
}

// now goes back to the run that goes on and to what comes.
func (m *Model) now() tea.Cmd {
	m.visited = nil
	m.live.Return()
	m.output.ShowLast()
	return nil
}

// isNow says why there is nothing to go back from.
func (m *Model) isNow() string {
	if m.live.Held() == "" {
		return "what is shown is what comes"
	}
	return ""
}

// mark sets a mark at the moment that is shown, or takes it away.
func (m *Model) mark() tea.Cmd {
	line, at := m.live.Timeline(), m.live.Elapsed()
	set, ok := line.Mark(at)
	m.live.Marked()
	switch {
	case !ok:
		m.say(warning, widget.Count(len(line.Marks()), "mark")+" are set, which is all there can be")
	case set:
		m.say(plain, fmt.Sprintf("mark at %s; %s compares before and after it", widget.Elapsed(at), m.keys.Key("compare.open")))
	default:
		m.say(plain, "the mark at "+widget.Elapsed(at)+" is gone")
	}
	return nil
}
