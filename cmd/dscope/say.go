package main

import (
	"io"
	"os"

	"dscope.dev/engine/text"
)

// All that this program says goes through one of these, which make it safe for who
// reads it (text.AppendSafe): a name, a path or a message may come from a traced process,
// a hostile file or a command line that was pasted. A test holds that nothing else
// in this folder writes to the terminal; only the printer of a run does, which knows the
// script's own words from those of others.
var (
	said io.Writer = text.NewScreen(os.Stdout, isTerminal(os.Stdout))
	told io.Writer = text.NewScreen(os.Stderr, isTerminal(os.Stderr))
)

// canAsk reports whether somebody is there who could answer.
func canAsk() bool { return isTerminal(os.Stdin) && isTerminal(os.Stderr) }

// scripts is where scripts go that were laid out: safe on a terminal, and byte by byte
// what they are in a pipe or a file.
func scripts() io.Writer {
	if isTerminal(os.Stdout) {
		return said
	}
	return os.Stdout
}

// messages is where those of a protocol go, which no person reads: byte by byte what
// they are.
func messages() io.Writer { return os.Stdout }
