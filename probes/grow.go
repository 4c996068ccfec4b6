package probes

import (
	"context"
	"errors"

	"dscope.dev/probes/space"
)

// An Arrival is a file that a process has begun to execute.
type Arrival struct {
	PID        int
	File       space.Mapping
	Generation uint64 // tells files apart that had one number one after another; 0 if not known
	As         int    // the process that it counts as, from which it descends; 0 if it is itself
}

// Counts returns the process that descriptions mean which name one.
func (a Arrival) Counts() int {
	if a.As != 0 {
		return a.As
	}
	return a.PID
}

// Grows returns the processes in which pat may come to cover more, 0 for every one. If it
// names no provider these are those that are followed.
func (r *Registry) Grows(pat Pattern, followed []int) []int {
	var list []int
	for _, f := range r.families {
		if f.traits.follows(pat, followed) && f.Available() == nil {
			list = append(list, followed...)
			continue
		}
		if f.traits.Grows != nil && f.covers(pat.Provider) && f.Available() == nil {
			list = append(list, f.traits.Grows(pat)...)
		}
	}
	return list
}

// Arrived returns the sites that pat covers in a file of a process, and numbers their
// probes. What is wrong with some of them does not spoil the others.
func (r *Registry) Arrived(ctx context.Context, pat Pattern, a Arrival) ([]*Site, error) {
	var list []*Site
	var errs []error
	for i, f := range r.families {
		if f.traits.Arrived == nil || !f.covers(pat.Provider) || f.Available() != nil {
			continue
		}
		if _, err := r.list(ctx, i); err != nil {
			return nil, err
		}
		sites, err := f.traits.Arrived(pat, a)
		errs = append(errs, err)
		for _, s := range sites {
			if s.ID, err = f.numbered(s.Probe); err != nil {
				return list, errors.Join(append(errs, err)...)
			}
			list = append(list, s)
		}
	}
	return list, errors.Join(errs...)
}

func (f *family) numbered(p Probe) (uint32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.name(p)
}
