package symbol

import (
	"time"

	"dscope.dev/engine/python"
	"dscope.dev/probes/space"
)

// staleAfter is how long ago the mappings of a process may have been read for what is
// not in them not to be there: programs map code, if not all the time.
const staleAfter = 10 * time.Millisecond

// Believe returns of the stack of a process, innermost first, what can be one. The
// kernel's own walk takes what lies where a frame pointer should be for the address of
// a caller; in code without frame pointers it is anything, and the walk goes on from
// there. But who is returned to is code: at the first address that is in no code of the
// process the stack was lost, and what follows was never a part of it. The innermost
// address is where the process was, and stays.
//
// A process of which is not known for sure what it had mapped is believed everything.
func (t *Table) Believe(pid uint32, addrs []uint64) []uint64 {
	if t.NoResolve || len(addrs) < 2 {
		return addrs
	}
	p := t.process(pid)
	asked := false
	for i := 1; i < len(addrs); i++ {
		if python.IsMark(addrs[i]) && p.python(t).Interpreter != nil {
			continue
		}
		if p.executes(addrs[i] - 1) { // the call that is returned from may be the last of all
			continue
		}
		if !asked && time.Since(p.read) > staleAfter {
			t.refresh(p, time.Now())
		}
		asked = true
		switch {
		case p.executes(addrs[i] - 1):
		case !t.sure(p):
			return addrs
		default:
			return addrs[:i]
		}
	}
	return addrs
}

// sure reports whether all code of p is known: because it could be read just now, or
// because all was heard of.
func (t *Table) sure(p *process) bool {
	if p.sure {
		return true
	}
	parent, all := t.Watch.heardOf(p.pid)
	if !all || parent == 0 {
		return all
	}
	q := t.procs[parent]
	return q != nil && anyCode(q.maps)
}

// executes reports whether an address lies in code.
func (p *process) executes(addr uint64) bool {
	m := p.find(addr)
	return m != nil && m.Exec
}

// anyCode reports whether there is code among mappings.
func anyCode(maps []space.Mapping) bool {
	for i := range maps {
		if maps[i].Exec {
			return true
		}
	}
	return false
}
