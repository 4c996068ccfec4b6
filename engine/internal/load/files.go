package load

import "dscope.dev/engine/codegen"

// The open files that everything takes beside the maps and programs of a script: those of
// the kernel's types, of what is tried, of timers and of the library that loads. And
// how many each CPU takes: its buffer of records, which is switched, and a clock.
const (
	BaseFiles   = 32
	filesPerCPU = 3
)

// filesOf returns how many files a script takes until its hooks are attached.
func filesOf(o *codegen.Object, cpus int) int {
	return BaseFiles + len(o.Spec.Maps) + len(o.Spec.Programs) + filesPerCPU*cpus
}

// MostTimed is how many programs a run may have for its cost to be taken: to ask for
// the figures of one costs about 2 µs, twice in each window.
const MostTimed = 2000
