package widget

import tea "github.com/charmbracelet/bubbletea"

// WheelStep is how many lines or cells a step of the wheel scrolls.
const WheelStep = 3

// Wheel returns by how many lines the wheel scrolls: less than 0 is up, 0 is not
// the wheel, or one that is turned sideways.
func Wheel(msg tea.MouseMsg) int {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		return -WheelStep
	case tea.MouseButtonWheelDown:
		return +WheelStep
	}
	return 0
}

// Clicked reports whether the left button goes down.
func Clicked(msg tea.MouseMsg) bool {
	return msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft
}
