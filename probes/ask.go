package probes

import (
	"context"
	"fmt"
	"sync"
)

// match is Match without the complaint; refused says why a provider that pat
// names outright gives nothing.
func (r *Registry) match(ctx context.Context, pat Pattern) (found []Entry, refused, err error) {
	answers := r.askAll(ctx, pat)
	all := 0
	for _, a := range answers {
		all += len(a.found)
	}
	found = make([]Entry, 0, all)
	for _, a := range answers {
		if a.err != nil {
			return nil, nil, a.err
		}
		if a.refused != nil && (a.settles || len(found) == 0 && refused == nil) {
			refused = a.refused
		}
		found = append(found, a.found...)
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

// askAll asks the families that may have probes for pat, in two rows side by side:
// those that can be listed, of which each needs the numbers of those before it, and
// the endless ones, which look at processes or try the kernel. Were each asked by
// itself, they would spend more on waking one another than on their answers.
func (r *Registry) askAll(ctx context.Context, pat Pattern) []answer {
	var listed, endless []int
	for i, f := range r.families {
		switch s, ok := f.Provider.(Sieve); {
		case !f.covers(pat.Provider) || ok && !s.MayMatch(pat):
		case f.endless:
			endless = append(endless, i)
		default:
			listed = append(listed, i)
		}
	}
	answers := make([]answer, len(r.families))
	ask := func(row []int) {
		for _, i := range row {
			answers[i] = r.askOne(ctx, pat, i)
		}
	}
	if len(listed) == 0 || len(endless) == 0 {
		ask(listed)
		ask(endless)
		return answers
	}
	var other sync.WaitGroup
	other.Go(func() { ask(endless) })
	ask(listed)
	other.Wait()
	return answers
}

// askOne asks the i-th family.
func (r *Registry) askOne(ctx context.Context, pat Pattern, i int) (a answer) {
	f := r.families[i]
	if err := f.Available(); err != nil {
		if pat.Provider == f.Name() {
			a.refused, a.settles = fmt.Errorf("provider %s is unavailable: %w", f.Name(), err), true
		}
		return a
	}
	listed, err := r.list(ctx, i)
	if err != nil {
		return answer{err: err}
	}
	if !f.endless {
		a.found = listed.filter(pat)
		return a
	}
	a.found, a.refused = listed.ask(ctx, pat)
	r.forget(f, a.found)
	return r.delegate(ctx, f, pat, a)
}
