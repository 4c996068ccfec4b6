package ui

import (
	"fmt"
	"strconv"
)

// A terminal on a serial line, as the consoles of servers and of virtual machines are,
// has no size unless somebody has told it one: the kernel says 0x0. What is drawn for that
// is nothing at all, and so a size is assumed: what COLUMNS and LINES say, or that of a
// VT100.

// usualSize is the size of a terminal that tells none.
var usualSize = [2]int{80, 24}

// assumedSize is the size by the environment of a terminal that tells none.
func assumedSize(env func(string) string) [2]int {
	size := usualSize
	for i, name := range []string{"COLUMNS", "LINES"} {
		if n, err := strconv.ParseUint(env(name), 10, 15); err == nil && n > 0 {
			size[i] = int(n)
		}
	}
	return size
}

// resize takes the size that the terminal tells, or the one that is assumed where it tells
// none, and says so once.
func (m *Model) resize(w, h int) {
	told := w > 0 && h > 0
	if w <= 0 {
		w = m.opts.Assume[0]
	}
	if h <= 0 {
		h = m.opts.Assume[1]
	}
	m.w, m.h = w, h
	m.place()
	if !told && !m.assumed {
		m.assumed = true
		text := fmt.Sprintf("the terminal tells no size: %dx%d assumed", w, h)
		m.say(warning, text)
		m.output.Note(text + "; stty cols 132 rows 43 would tell it another") // stays when the status line is wiped
	}
}
