// Package clock reads the clocks of the kernel as programs in the kernel do.
//
// A process in a time namespace sees CLOCK_MONOTONIC and CLOCK_BOOTTIME, and the times
// in /proc that count from the start of the machine, moved by what its namespace says;
// programs in the kernel see them as they are. What is compared with their times
// must come from here.
package clock

import (
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// Offsets are how far the clocks of a time namespace are ahead of the kernel's.
type Offsets struct{ Monotonic, Boot time.Duration }

// read returns the offsets of our own namespace. The file of a process tells those of the
// namespace that its children will have: that of another one serves if it is ours.
func read(proc fs.FS) Offsets {
	own, err := fs.ReadLink(proc, "self/ns/time")
	if err != nil {
		return Offsets{} // a kernel without such namespaces
	}
	for _, who := range []string{"self", parent(proc)} {
		if its, err := fs.ReadLink(proc, who+"/ns/time_for_children"); err != nil || its != own {
			continue
		}
		if text, err := fs.ReadFile(proc, who+"/timens_offsets"); err == nil {
			return parse(string(text))
		}
	}
	return Offsets{}
}

// parent returns the number of our parent.
func parent(proc fs.FS) string {
	text, _ := fs.ReadFile(proc, "self/status")
	_, rest, _ := strings.Cut(string(text), "\nPPid:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// parse reads lines of a clock, seconds and nanoseconds.
func parse(text string) (o Offsets) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		sec, err1 := strconv.ParseInt(f[1], 10, 64)
		nsec, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		ahead := time.Duration(sec)*time.Second + time.Duration(nsec)
		switch f[0] {
		case "monotonic":
			o.Monotonic = ahead
		case "boottime":
			o.Boot = ahead
		}
	}
	return o
}
