package user

import (
	"errors"
	"os"

	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// Grows says where a description may come to cover more: in the process that it
// names, or in all if that is pid*. Other globs mean the processes that run when the
// script is compiled.
func (p *Provider) Grows(pat probes.Pattern) []int {
	name, ok := parseName(pat.Provider)
	switch module, _ := glob(pat.Module); {
	case !ok:
		return nil
	case name.pid > 0:
		return []int{name.pid}
	case name.all && module != "" && module != "*":
		return []int{0}
	}
	return nil
}

// Arrived returns the sites that a description covers in a file that a process has
// begun to execute. That there are none is no error, unless nobody could look because
// the file was gone: see space.Gone.
func (p *Provider) Arrived(pat probes.Pattern, a probes.Arrival) ([]*probes.Site, error) {
	name, ok := parseName(pat.Provider)
	if !ok || !name.all && name.pid != a.Counts() {
		return nil, nil
	}
	q := &query{p: p, pat: pat, seen: map[probes.Probe]*place{}}
	var err error
	if q.kind, err = parseProbeName(pat.Name); err != nil {
		return nil, err
	}
	proc := space.Process{Proc: p.proc, PID: a.PID}
	p.mu.Lock()
	defer p.mu.Unlock()
	early := mapped{name: a.File.Name(), path: a.File.Path, main: true}
	if !early.is(pat.Module) {
		return nil, nil // and need not be looked for
	}
	found, err := proc.Catch(&a.File)
	if err != nil {
		return nil, space.OnlyGone(err)
	}
	m := newMapped(proc, &a.File, found, space.FileID{})
	if named := m.is(pat.Module); !named || pat.Function == "-" {
		exe, ok := proc.Executable()
		if !ok && !named {
			return nil, os.ErrNotExist // nobody can tell any more whether it was the program
		}
		m.main = found.Stamp.FileID == exe
	}
	return q.arrived(a.Counts(), m, name.all)
}

// arrived returns the sites in a file that a process has begun to execute.
func (q *query) arrived(pid int, m mapped, all bool) ([]*probes.Site, error) {
	if err := q.files(pid, []mapped{m}, all); err != nil && !isRefusal(err) {
		return nil, err
	}
	var list []*probes.Site
	for _, pl := range q.places {
		list = append(list, pl.sites(true)...)
	}
	return list, space.OnlyGone(q.refused)
}

// isRefusal reports whether err says that there is nothing of a name, or too much.
func isRefusal(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}
