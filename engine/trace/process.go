package trace

import "strings"

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

// Spell writes a part of a probe's name as a description may hold it: the blanks,
// colons and brackets that names of C++ and Rust are full of become question marks,
// each of which covers any one byte.
func Spell(part string) string {
	ok := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_.-", c)
	}
	if strings.IndexFunc(part, func(c rune) bool { return !ok(c) }) < 0 {
		return part
	}
	var b strings.Builder
	for _, c := range []byte(part) {
		if ok(rune(c)) {
			b.WriteByte(c)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}
