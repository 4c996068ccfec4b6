package engine

import (
	"fmt"
	"sync"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/plan"
)

// To find the probes of one description is little work, and a script may hold a
// hundred thousand of them. So each is looked for once, names that are compared are
// counted, and so are the probes that clauses enable: all that follows does something
// for each.
const (
	// mostCompared is a hundred times what all descriptions of a long script need
	// where a kernel has many functions. It takes about a second.
	mostCompared = 1 << 26
	// mostEnabled is how many probes the clauses may enable together: several times all
	// that a machine has.
	mostEnabled = 1 << 20
)

// A search is what the descriptions of one script have asked for.
type search struct {
	known    map[ast.ProbeDesc]resolved // by what they say, wherever they stand
	compared int                        // names, with patterns
	enabled  int                        // probes
}

// resolved is what is known of a description.
type resolved struct {
	set check.ProbeSet
	err error
}

// tooMuch says that a script asks for too much.
type tooMuch struct{ msg, hint string }

func (t *tooMuch) Error() string { return t.msg }

func (t *tooMuch) Unwrap() error { return check.ErrTooMuch }

// Hint says what to do instead.
func (t *tooMuch) Hint() string { return t.hint }

// Probes resolves a description to its sites.
func (v *env) Probes(d *ast.ProbeDesc) (check.ProbeSet, error) {
	key := *d
	key.At, key.Text = ast.At{}, ""
	r, ok := v.known[key]
	if !ok {
		if v.compared > mostCompared {
			return check.ProbeSet{}, &tooMuch{fmt.Sprintf("the descriptions before this one had more than %d names compared", mostCompared),
				"write fewer descriptions with wildcards, or name the provider of each"}
		}
		r.set, r.err = v.answer(d, key)
		if v.compared += v.e.registry.Weight(plan.PatternOf(d), r.err == nil); v.known == nil {
			v.known = map[ast.ProbeDesc]resolved{}
		}
		v.known[key] = r
	}
	if v.enabled += r.set.Count; v.enabled > mostEnabled {
		return check.ProbeSet{}, &tooMuch{fmt.Sprintf("the script enables more than %d probes, each clause counted", mostEnabled),
			"put what several clauses do at the same probes into one, or name fewer probes"}
	}
	return r.set, r.err
}

// mostAnswers is how many sites the answers may have together that are kept: entry and return of
// all functions of a kernel that has 65,000. They take some 400 bytes each.
const mostAnswers = 1 << 17

// answers are what checks have been told of descriptions, of those to which the answer is always
// the same: an editor asks for all of a script at each key, and fbt:::entry has tens of thousands
// of sites.
type answers struct {
	mu   sync.Mutex
	sets map[ast.ProbeDesc]check.ProbeSet
	kept int // sites, and one for each set
}

// answer is resolve, or remembers what it found.
func (v *env) answer(d *ast.ProbeDesc, key ast.ProbeDesc) (check.ProbeSet, error) {
	if v.compiled || d.ID != 0 || !v.e.registry.Lasts(plan.PatternOf(d)) {
		return v.resolve(d)
	}
	all := &v.e.answers
	all.mu.Lock()
	set, ok := all.sets[key]
	all.mu.Unlock()
	if ok {
		return set, nil
	}
	set, err := v.resolve(d)
	if err == nil {
		all.keep(key, set)
	}
	return set, err
}

// keep remembers a set, for which all others may be forgotten.
func (a *answers) keep(key ast.ProbeDesc, set check.ProbeSet) {
	n := len(plan.SitesOf(&set)) + 1
	if n > mostAnswers {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept += n; a.sets == nil || a.kept > mostAnswers {
		a.sets, a.kept = map[ast.ProbeDesc]check.ProbeSet{}, n
	}
	a.sets[key] = set
}
