package grow

import (
	"errors"
	"slices"
	"syscall"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// Coverage is what the openings of a run have: the files that were looked at, and the
// places in them that are probed. What turns out to be gone when it is to be probed is
// struck out again, so that the next process which has it brings it anew.
type coverage struct {
	known   map[seenFile]bool
	covered map[coveredHook]bool
	exact   []exactHook
	gone    map[space.FileID]bool // files that were gone before they were looked at or probed, and have not come back
	struck  map[space.FileID]int  // how often that happened to one that was looked at
}

// A seenFile is a file that an opening has been looked for in: in that process, or in
// whichever has it.
type seenFile struct {
	opening    int
	pid        int
	file       space.FileID
	generation uint64
}

// A coveredHook is a place of a file that an opening has.
type coveredHook struct {
	opening int
	file    space.FileID
	hook    probes.Hook // without the path
}

// An exactHook is a place that was found at the start in one process.
type exactHook struct {
	opening int
	file    space.FileID
	offset  uint64
	pid     int
}

// An addition is a site that was found for an opening while the script runs.
type addition struct {
	opening *plan.Opening
	site    *probes.Site
	seen    seenFile
	as      coveredHook
}

// mostKnown is how many files are remembered as looked at.
const mostKnown = 1 << 16

// mostStruck is how often places are struck out because their file is gone: each time
// has cost the kernel a program that serves nobody.
const mostStruck = 8

// newCoverage returns what openings have from the start.
func newCoverage(list plan.Openings) coverage {
	c := coverage{known: map[seenFile]bool{}, covered: map[coveredHook]bool{}, gone: map[space.FileID]bool{}, struck: map[space.FileID]int{}}
	paths := space.FileIDs{}
	for i, o := range list {
		for _, s := range o.Sites {
			if s.Hook.Kind != probes.User {
				continue
			}
			id := paths.Of(s.Hook.File)
			c.covered[coveredHook{i, id, placeOf(s.Hook)}] = true
			if s.Hook.PID != 0 {
				c.exact = append(c.exact, exactHook{i, id, s.Hook.Offset, s.Hook.PID})
			}
		}
	}
	return c
}

// placeOf returns a hook without what says how to get there and who counts listeners.
func placeOf(h probes.Hook) probes.Hook {
	h.File, h.Target, h.Semaphore = "", "", 0
	return h
}

// saw notes that an opening has been looked for in a file.
func (c *coverage) saw(file seenFile) {
	if len(c.known) >= mostKnown {
		clear(c.known)
	}
	c.known[file] = true
	delete(c.gone, file.file)
}

// add makes a site one that the opening has in a file, or reports that it has it already.
func (c *coverage) add(o *plan.Opening, s *probes.Site, in seenFile, paths space.FileIDs) (addition, bool) {
	if o.Family && s.Hook.PID != 0 {
		s.Progeny, s.Hook.PID = s.Hook.PID, 0
	}
	file := paths.Of(s.Hook.File)
	if file == (space.FileID{}) { // the process has ended, and the file is held
		file = in.file
	}
	n := addition{o, s, in, coveredHook{in.opening, file, placeOf(s.Hook)}}
	if c.covered[n.as] {
		return n, false
	}
	c.covered[n.as] = true
	if s.Hook.PID == 0 && s.Progeny == 0 {
		for _, x := range c.exact {
			if x.opening == in.opening && x.file == n.as.file && x.offset == s.Hook.Offset {
				s.Except = append(s.Except, x.pid)
			}
		}
		slices.Sort(s.Except)
		s.Except = slices.Compact(s.Except)
	}
	return n, true
}

// strike takes out again what is missing because the process or the file went away
// before it could be probed.
func (c *coverage) strike(list []addition, missing map[probes.Hook]error) {
	type spot struct {
		file string
		hook probes.Hook
	}
	gone := map[spot]error{}
	for at, err := range missing {
		if space.Gone(err) {
			gone[spot{at.File, placeOf(at)}] = err
		}
	}
	struck := map[space.FileID]bool{}
	for _, n := range list {
		err := gone[spot{n.site.Hook.File, placeOf(n.site.Hook)}]
		if err == nil || n.site.Hook.Kind != probes.User { // a module that comes again is looked at again
			continue
		}
		if errors.Is(err, syscall.ENOENT) { // the end of a process is told as such
			c.gone[n.seen.file] = true
		}
		if c.struck[n.seen.file] < mostStruck {
			struck[n.seen.file] = true
			delete(c.covered, n.as)
			delete(c.known, n.seen)
		}
	}
	for id := range struck {
		c.struck[id]++
	}
}
