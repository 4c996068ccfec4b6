package symbol

import (
	"slices"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/sideband"
	"dscope.dev/probes/space"
)

// A Watch hears from the kernel what code processes map while it is open, so that
// addresses of a process can be named that was gone before anybody could look. It
// costs the traced nothing but at fork, exec and when code is mapped.
type Watch struct {
	ears  *sideband.Ears
	lives map[uint32]*life
}

// A life is what was heard of a process.
type life struct {
	maps   []space.Mapping // code only, in the order in which it was mapped, also of what it executed before
	parent uint32          // of which it is a copy; 0 if that has told all it has
	execs  int             // programs that it has executed
	gone   bool
}

// maxCode is how many pieces of code of a process are remembered.
const maxCode = 1 << 12

// maxLives is how many processes are remembered.
const maxLives = 1 << 14

// ringPages is how much each CPU may have to tell between two drains: some hundred
// executions.
const ringPages = 32

// NewWatch begins to listen on some CPUs.
func NewWatch(cpus []int) (*Watch, error) {
	ears, err := sideband.Listen(cpus, sideband.Options{Names: true, Lives: true, Pages: ringPages})
	if err != nil {
		return nil, err
	}
	return &Watch{ears: ears, lives: make(map[uint32]*life)}, nil
}

// Close stops listening. What was heard stays known.
func (w *Watch) Close() error {
	if w == nil {
		return nil
	}
	return w.ears.Close()
}

// Drain takes what was heard since the last time. The CPUs' tales are put into the
// order in which they happened.
func (w *Watch) Drain() {
	if w == nil || w.ears == nil {
		return
	}
	for _, n := range w.ears.Drain() {
		w.take(n)
	}
}

// commExec is PERF_RECORD_MISC_COMM_EXEC: the name has changed because a program was
// executed.
const commExec = 1 << 13

// take learns from one notice.
func (w *Watch) take(n sideband.Notice) {
	pid, ok := n.Process()
	if !ok {
		return
	}
	switch n.Kind {
	case unix.PERF_RECORD_FORK:
		if parent := n.Parent(); parent != pid {
			w.born(pid, parent)
		}
	case unix.PERF_RECORD_COMM:
		if n.Misc&commExec == 0 {
			return
		}
		if w.lives[pid] == nil {
			w.set(pid, &life{})
		}
		w.lives[pid].execs++
	case unix.PERF_RECORD_MMAP2:
		l := w.lives[pid]
		if l == nil {
			return // it was there before: what it has can be read
		}
		if m, _, ok := n.Code(); ok {
			if len(l.maps) >= maxCode {
				l.maps = l.maps[maxCode/2:]
			}
			l.maps = append(l.maps, m)
		}
	case unix.PERF_RECORD_EXIT:
		if l := w.lives[pid]; l != nil {
			l.gone = true
		}
	}
}

// born notes a process that has forked from another.
func (w *Watch) born(pid, parent uint32) {
	l := &life{parent: parent}
	if p := w.lives[parent]; p != nil {
		l.maps, l.parent = slices.Clone(p.maps), p.parent
	}
	w.set(pid, l)
}

// set notes a process. When there are too many, those that have gone are forgotten.
func (w *Watch) set(pid uint32, l *life) {
	if len(w.lives) >= maxLives {
		for p, old := range w.lives {
			if old.gone {
				delete(w.lives, p)
			}
		}
		if len(w.lives) >= maxLives {
			clear(w.lives)
		}
	}
	w.lives[pid] = l
}

// heardOf reports whether all was heard that a process has mapped since it began, and of
// which process it began as a copy; 0 if what that had is among what was heard.
func (w *Watch) heardOf(pid uint32) (parent uint32, all bool) {
	if w == nil || w.ears == nil || w.ears.Lost > 0 {
		return 0, false
	}
	l := w.lives[pid]
	if l == nil {
		return 0, false
	}
	return l.parent, true
}

// executed returns how many programs a process has executed, as far as was heard.
func (w *Watch) executed(pid uint32) int {
	if w == nil || w.lives[pid] == nil {
		return 0
	}
	return w.lives[pid].execs
}

// known returns the code of a process as it was heard of, ascending, and of which
// other one it has more. Of two pieces at one place the later counts.
func (w *Watch) known(pid uint32) (maps []space.Mapping, parent uint32) {
	if w == nil {
		return nil, 0
	}
	w.Drain()
	l := w.lives[pid]
	if l == nil {
		return nil, 0
	}
	later := slices.Clone(l.maps)
	slices.Reverse(later)
	return merge(nil, later), l.parent
}
