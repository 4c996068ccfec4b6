package probes

import (
	"context"
	"slices"
	"sync"
)

// match is Match without the complaint; refused says why a provider that pat
// names outright gives nothing.
func (r *Registry) match(ctx context.Context, pat Pattern, followed []int) (found []Entry, refused, err error) {
	answers := r.askAll(ctx, pat, followed)
	all := 0
	for _, a := range answers {
		all += len(a.found)
	}
	for _, a := range answers {
		if a.err != nil {
			return nil, nil, a.err
		}
		if a.refused != nil && (a.settles || len(found) == 0 && refused == nil) {
			refused = a.refused
		}
		switch {
		case len(a.found) == 0:
		case len(a.found) == all:
			found = slices.Clip(a.found) // all functions of a kernel, say
		default:
			found = slices.Grow(found, all-len(found))
			found = append(found, a.found...)
		}
	}
	return found, refused, ctx.Err()
}

// An answer is what one family has for a pattern.
type answer struct {
	found   []Entry
	refused error // why it has nothing
	settles bool  // whether that is the reason, whatever others say
	err     error
}

// askAll asks the families that may have probes for pat.
func (r *Registry) askAll(ctx context.Context, pat Pattern, followed []int) []answer {
	var room [32]int
	asked, endless := room[:0], 0
	for i, f := range r.families {
		if f.covers(pat.Provider) && (f.traits.mayMatch(pat) || f.traits.follows(pat, followed)) {
			asked = append(asked, i)
			if f.traits.Endless {
				endless++
			}
		}
	}
	answers := make([]answer, len(asked))
	if endless > 0 && endless < len(asked) {
		r.askRows(ctx, pat, followed, slices.Clone(asked), answers)
		return answers
	}
	for n, i := range asked {
		answers[n] = r.askOne(ctx, pat, followed, i)
	}
	return answers
}

// askRows asks families in two rows side by side: those that can be listed, of which
// each needs the numbers of those before it, and the endless ones, which look at
// processes or try the kernel. Were each asked by itself, they would spend more on
// waking one another than on their answers.
func (r *Registry) askRows(ctx context.Context, pat Pattern, followed, asked []int, answers []answer) {
	row := func(endless bool) {
		for n, i := range asked {
			if r.families[i].traits.Endless == endless {
				answers[n] = r.askOne(ctx, pat, followed, i)
			}
		}
	}
	var other sync.WaitGroup
	other.Go(func() { row(true) })
	row(false)
	other.Wait()
}

// askOne asks the i-th family.
func (r *Registry) askOne(ctx context.Context, pat Pattern, followed []int, i int) (a answer) {
	f := r.families[i]
	if err := f.Available(); err != nil {
		if pat.Provider == f.Name() {
			a.refused, a.settles = &Closed{f.Name(), err}, true
		}
		return a
	}
	listed, err := r.list(ctx, i)
	if err != nil {
		return answer{err: err}
	}
	if !f.traits.Endless {
		a.found = listed.filter(pat)
		return a
	}
	a.found, a.refused = listed.ask(ctx, pat, followed)
	r.forget(f, a.found)
	return r.delegate(ctx, f, pat, a)
}

// Lasts reports whether what pat covers is the same whenever it is asked for: only families that can
// be listed may have probes for it. Without a provider it may mean those of processes, too.
func (r *Registry) Lasts(pat Pattern) bool {
	for _, f := range r.families {
		if f.traits.Endless && f.covers(pat.Provider) && (pat.Provider == "" || f.traits.mayMatch(pat)) {
			return false
		}
	}
	return true
}
