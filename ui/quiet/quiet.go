// Package quiet keeps the program from asking the terminal a question before
// main has begun.
//
// Bubble Tea, when it is initialised, has lipgloss find out whether the
// terminal's background is dark: it writes a query and reads the answer. In a
// program that is also a command-line tool this would happen on every start,
// with or without a workbench: it costs a round trip, five seconds on a terminal
// that does not answer, and takes from standard input what the user typed ahead.
// Themes do not need the answer, so it is given here, before it is asked.
//
// That this comes first is by the language: packages are initialised in the
// order of their import paths as soon as what they import is. This one imports
// lipgloss alone, and its path sorts before Bubble Tea's, which imports
// lipgloss too. A test of package ui starts a program on a terminal and holds
// that no query is written.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
