package ui

// An Export writes what is shown, or a run.
type Export func()
