package trace

// A Process is one that runs, or ran as it was looked at.
type Process struct {
	PID  int
	Name string // of its first thread, as execname gives it
	User string // whose rights it has; the number where that has no name
	Line string // its command line, with blanks between the words; may be empty
	Born uint64 // in clock ticks since the machine started; tells it from a later one of its number
}

// A Module is a file that a process executes.
type Module struct {
	Name string // as the module part of a probe says it
	Path string // as the process sees it
	Main bool   // it is the executable
}

// ProcessInfo is what can be told of a process without reading the symbols of what
// it executes.
type ProcessInfo struct {
	Process
	Modules []Module // the executable first
	Probes  []Probe  // of the families that list theirs at once: carried ones and those of locks
	Missing []ProviderInfo
}
