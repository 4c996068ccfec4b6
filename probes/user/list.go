package user

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"dscope.dev/probes"
)

// A Module is a file that a process executes.
type Module struct {
	Name string // as the module part of a probe says it
	Path string // as the process sees it
	Main bool   // it is the executable
}

// Modules lists the files that a process executes, the executable first. No file is
// opened.
func (p *Provider) Modules(pid int) ([]Module, error) {
	maps, err := p.mapped(pid)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	var list []Module
	for _, m := range maps {
		list = append(list, Module{m.name, m.path, m.main})
	}
	return list, nil
}

// Functions lists entry and return of every function of one file of a process, by
// name, for somebody to choose from: offsets and lines are asked for by Match alone.
// Nothing is kept, and what a function does is not read, so that a program of
// 100,000 functions is listed in the time that its symbols take.
func (p *Provider) Functions(ctx context.Context, pid int, path string) ([]probes.Probe, error) {
	m, o, err := p.objectAt(pid, path)
	if err != nil {
		return nil, fmt.Errorf("process %d: %s: %w", pid, path, err)
	}
	provider := Name + strconv.Itoa(pid)
	list := make([]probes.Probe, 0, 2*len(o.funcs))
	for i, fn := range o.funcs { // which changes no more
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fn.indir {
			continue
		}
		pr := probes.Probe{Provider: provider, Module: m.name, Function: fn.shown(), Name: "entry"}
		list = append(list, pr)
		if !fn.label { // nobody calls it, so it does not return
			pr.Name = "return"
			list = append(list, pr)
		}
	}
	slices.SortFunc(list, func(a, b probes.Probe) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(list), nil // several functions of a file can have one name
}

// objectAt returns a file of a process, by its path.
func (p *Provider) objectAt(pid int, path string) (*mapped, *object, error) {
	maps, err := p.mapped(pid)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(maps, func(m mapped) bool { return m.path == path })
	if i < 0 {
		return nil, nil, errors.New("the process does not execute it any more")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o, err := p.object(&maps[i])
	return &maps[i], o, err
}
