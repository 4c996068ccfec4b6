package usdt

import (
	"strconv"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// Grows says where a description may come to cover more: in every process if it ends
// with *, or in those that it may name by their numbers. Other globs mean the processes
// that run when the script is compiled.
func (p *Provider) Grows(pat probes.Pattern) []int {
	switch {
	case anyNumber(pat.Provider):
		return []int{0}
	case strings.ContainsAny(pat.Provider, `*?[\`) || !couldEnd(pat.Provider):
		return nil
	}
	list, _ := p.pids(pat)
	return list
}

// anyNumber reports whether a description's provider may be followed by any number.
func anyNumber(provider string) bool {
	return strings.HasSuffix(provider, "*") && !strings.HasSuffix(provider, `\*`)
}

// Arrived returns the sites that a description covers in a file that a process has
// begun to execute. Where it means every process so do they: they fire in all that
// ever execute the file, from their first instruction on, and bear the provider's name
// with a star, python*, for there is no number that would fit. An error says that the
// file was gone before anybody could look: see space.Gone.
func (p *Provider) Arrived(pat probes.Pattern, a probes.Arrival) ([]*probes.Site, error) {
	module := module(&a.File)
	if !probes.Glob(pat.Module, module) {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	file, err := space.Process{Proc: p.proc, PID: a.PID}.Catch(&a.File)
	if err != nil {
		return nil, space.OnlyGone(err)
	}
	return p.arrived(pat, a, module, file)
}

// arrived returns the sites in a file that a process has begun to execute.
func (p *Provider) arrived(pat probes.Pattern, a probes.Arrival, module string, file space.Found) ([]*probes.Site, error) {
	content := p.content(file)
	number, pid := strconv.Itoa(a.Counts()), a.Counts()
	if anyNumber(pat.Provider) {
		number, pid = "", 0
	}
	var list []*probes.Site
	for _, point := range content.points {
		probe := probes.Probe{Provider: point.Provider + number, Module: module, Function: point.Function, Name: point.Name}
		if !pat.Matches(probe) {
			continue
		}
		if pid == 0 {
			probe.Provider += "*"
		}
		list = append(list, located{point, file.Path, pid}.site(probe))
	}
	return list, space.OnlyGone(content.err)
}
