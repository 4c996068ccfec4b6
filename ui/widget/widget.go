// Package widget holds what several panes of the workbench share and none of
// them owns: the table of keys, a line of input, fitting text to columns,
// making traced bytes harmless, the arithmetic of scrolling, and the way to the
// clipboard. Runs of coloured cells are the business of package ink.
//
// One thing a file. What only one pane needs stays with that pane. Nothing
// here knows a colour or has state of its own: what lasts, such as an Input or
// a Scroll, is a value that its pane holds.
//
// Two rules hold everywhere on the screen. Whatever comes from a traced
// process, a file or the kernel goes through Safe before it is drawn, so that
// no byte of it reaches the terminal as a control code. And widths are display
// columns, never bytes or runes: Cut and ink.Width measure as the terminal
// draws, wide and combining characters included.
package widget
