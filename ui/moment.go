package ui

import tea "github.com/charmbracelet/bubbletea"

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
		m.output.ShowUntil(at)
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
