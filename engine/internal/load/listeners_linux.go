package load

import (
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// An instruction is a place in a file, by whatever path that is opened.
type instruction struct {
	file   space.FileID
	offset uint64
}

// CountListeners gives all hooks on one instruction the same counter of listeners. A
// mark of a program has one; a function of the same script may be probed there too, at
// each of its instructions, and the kernel refuses an instruction that is probed once
// with a counter and once without.
func CountListeners(units []*codegen.Unit) {
	counters := map[instruction]uint64{}
	files := space.FileIDs{}
	each := func(do func(*probes.Hook, instruction)) {
		for _, u := range units {
			if u.Hook.Kind != probes.User {
				continue
			}
			for _, h := range append([]*probes.Hook{&u.Hook}, pointers(u.Hooks)...) {
				do(h, instruction{files.Of(h.File), h.Offset})
			}
		}
	}
	each(func(h *probes.Hook, at instruction) {
		if h.Semaphore != 0 {
			counters[at] = h.Semaphore
		}
	})
	if len(counters) == 0 {
		return
	}
	each(func(h *probes.Hook, at instruction) {
		if h.Semaphore == 0 {
			h.Semaphore = counters[at]
		}
	})
}

func pointers(list []probes.Hook) []*probes.Hook {
	var found []*probes.Hook
	for i := range list {
		found = append(found, &list[i])
	}
	return found
}
