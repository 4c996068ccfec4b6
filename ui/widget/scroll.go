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

// Thumb returns the rows [from, to) that the thumb of a scroll bar of Height
// rows covers; nothing if all is in view. It is never shorter than one row,
// and touches an end only when the window does.
func (s Scroll) Thumb() (from, to int) {
	if s.Height <= 0 || s.Total <= s.Height {
		return 0, 0
	}
	size := max(s.Height*s.Height/s.Total, 1)
	room := s.Height - size
	last := s.Total - s.Height
	top := min(max(s.Top, 0), last)
	from = top * room / last
	if top > 0 && from == 0 && room > 1 {
		from = 1
	}
	if top < last && from == room && room > 1 {
		from = room - 1
	}
	return from, from + size
}

// At returns the Top for which the thumb lies at row of the bar, as a click or
// a drag there asks.
func (s Scroll) At(row int) int {
	if s.Height <= 1 || s.Total <= s.Height {
		return 0
	}
	return min(max(row, 0), s.Height-1) * (s.Total - s.Height) / (s.Height - 1)
}
