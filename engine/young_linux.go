package engine

import (
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/clock"
	"dscope.dev/engine/symbol"
	"dscope.dev/probes"
)

// A shell starts a program in the background in two steps: it makes a copy of itself,
// and the copy executes the program. A script about the process that a shell has just
// told the number of can be compiled in between, and finds a shell without the marks
// that it asks for. So what a process lacks while it is young is looked for again.

// grownUp is how old a process is from which it is taken as it is, and lookAgain how
// long there is between two looks.
const (
	grownUp   = 2 * time.Second
	lookAgain = 20 * time.Millisecond
)

// awaitProgram waits until there is something that pat covers, if that can be had in
// young processes only.
func (v *env) awaitProgram(pat probes.Pattern) {
	for v.ctx.Err() == nil && v.young(pat.Provider) && !v.e.registry.Covers(v.ctx, pat) {
		time.Sleep(lookAgain)
	}
}

// young reports whether a provider's name ends with the number of a young process.
// That of -c stands where its program has begun, and is none.
func (v *env) young(provider string) bool {
	end := provider[len(strings.TrimRight(provider, "0123456789")):]
	if end == "" || strings.ContainsAny(provider, `*?[\`) {
		return false
	}
	now := clock.Boot()
	for i := range end {
		pid, err := strconv.ParseUint(end[i:], 10, 32)
		if err != nil || end[i] == '0' || int(pid) == v.target {
			continue
		}
		const tick = 10 * time.Millisecond // of the kernel's files
		start, ok := symbol.StartOf(uint32(pid))
		if ok && time.Duration(now)-time.Duration(start)*tick < grownUp {
			return true
		}
	}
	return false
}
