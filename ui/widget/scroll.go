package widget

// A Scroll is a window of Height rows onto Total rows, of which Top is the
// first shown. It answers what every list asks.
type Scroll struct{ Top, Height, Total int }

// Clamp returns s with Top moved so that the window is full where it can be.
func (s Scroll) Clamp() Scroll {
	s.Top = max(min(s.Top, s.Total-s.Height), 0)
	return s
}

// Show returns s moved as little as possible so that row is inside.
func (s Scroll) Show(row int) Scroll {
	switch {
	case row < s.Top:
		s.Top = row
	case row >= s.Top+s.Height:
		s.Top = row - s.Height + 1
	}
	return s.Clamp()
}
