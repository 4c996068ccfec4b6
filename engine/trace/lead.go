package trace

import "time"

// A Lead is a number that a firing had and that leads to something of its process, or of the
// kernel.
type Lead struct {
	Kind LeadKind
	N    uint64
	PID  int       // the process
	At   time.Time // when it fired: a process that was born later is another one
}

// A LeadKind says what the number of a Lead is.
type LeadKind uint8

// The kinds.
const (
	DescriptorLead LeadKind = iota // of the process's open files
	AddressLead                    // in the process, or in the kernel
)
