// Package widget holds what several panes of the workbench share and none of
// them owns: the table of keys, fitting text to columns, making traced bytes
// harmless, and the arithmetic of scrolling. Runs of coloured cells are the
// business of package ink.
//
// One thing a file. What only one pane needs stays with that pane. Nothing
// here keeps state, knows a colour or reads a terminal.
//
// Two rules hold everywhere on the screen. Whatever comes from a traced
// process, a file or the kernel goes through Safe before it is drawn, so that
// no byte of it reaches the terminal as a control code. And widths are display
// columns, never bytes or runes: Width, Fit and Cut measure as the terminal
// draws, wide and combining characters included.
package widget
