package plan

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/options"
	"dscope.dev/probes"
)

// Descriptions of places in processes may come to cover more while a script runs:
// python*:::gc-start when another program begins, pid$target:libfoo:: when a library is
// loaded. With -Z so may those of functions of the kernel, when a module is loaded. Such a
// description is an opening. What is found later is gathered into
// units as at the start, and becomes an object of its own, which uses the maps of the
// first. So that these have all that it needs, an opening has a unit from the beginning
// that is loaded and never attached: its pattern. It also shows what the verifier would
// have to say before anything depends on it. Where the clause has a program already, which
// leaves nothing out because of the names of its probes, that serves as well.

// An Opening is a description that may come to cover more.
type Opening struct {
	Text    string // as the script has it
	Pattern probes.Pattern
	PIDs    []int // the processes in which it may; 0 is every one

	Modules bool // whether modules of the kernel may bring some

	Clause  *check.Clause
	set     int // which description of the clause
	Family  bool
	Sites   []*probes.Site // what it covered at the start
	pattern []*probes.Site // what its program is made for
}

// OpeningOf returns the opening of a description that covers some sites, of a script that
// follows processes; nil if it cannot come to cover more. What names one process and one file, and has found that, is not
// waited for.
func OpeningOf(r *probes.Registry, d *ast.ProbeDesc, followed []int, sites []*probes.Site) *Opening {
	o := &Opening{Text: d.Text, Pattern: PatternOf(d)}
	o.PIDs = r.Grows(o.Pattern, followed)
	o.Modules = r.Awaits(o.Pattern, len(sites) > 0)
	named := d.Module != "" && !strings.ContainsAny(d.Module, `*?[\`)
	if len(sites) > 0 && named && !slices.Contains(o.PIDs, 0) {
		o.PIDs = nil
	}
	if slices.Contains(o.PIDs, 0) {
		o.PIDs = []int{0}
	}
	if len(o.PIDs) == 0 && !o.Modules {
		return nil
	}
	return o
}

// Openings are those of a script, in its order.
type Openings []*Opening

// FindOpenings finds those of a script. With option followfork, probes of a process fire
// in what descends from it too; with zdefs, modules of the kernel are waited for.
func FindOpenings(p *check.Program, opt *options.Options) (list Openings) {
	shaped, shapedIn := map[*check.Clause]bool{}, map[*check.Clause]bool{} // that have a program for what may come, in processes and in the kernel
	for _, c := range p.Clauses {
		if c.Unknown {
			continue
		}
		shaped[c] = hasUser(c) && !asksName(p, c)
		for i := range c.Probes {
			o, ok := c.Probes[i].Open.(*Opening)
			if !ok {
				continue
			}
			if o.Modules = o.Modules && opt.ZeroProbes; !o.Modules && len(o.PIDs) == 0 {
				continue
			}
			o.Clause, o.set, o.Sites = c, i, enabled(c, i)
			o.Family = opt.FollowFork && len(o.PIDs) > 0 && o.PIDs[0] != 0
			if len(o.PIDs) > 0 && !shaped[c] {
				o.pattern, shaped[c] = o.shape(len(list)), true
			}
			if o.Modules && !shapedIn[c] {
				o.pattern, shapedIn[c] = append(o.pattern, o.shapeFunctions(len(list))...), true
			}
			list = append(list, o)
		}
	}
	return list
}

// hasUser reports whether a clause has places of processes from the start.
func hasUser(c *check.Clause) bool {
	for i := range c.Probes {
		if slices.ContainsFunc(enabled(c, i), func(s *probes.Site) bool { return s.Hook.Kind == probes.User && s.Derived == nil }) {
			return true
		}
	}
	return false
}

// asksName reports whether a clause names a part of the name of its probe, which may
// decide at once what it does.
func asksName(p *check.Program, c *check.Clause) bool {
	found := false
	p.Means.Walk(c.AST, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok {
			found = found || strings.HasPrefix(x.Name, "probe")
		}
		return !found
	})
	return found
}

// shape returns the sites of the program of the n-th opening: such as it has already, or
// such as functions have. There are two, so that the program asks which it is.
func (o *Opening) shape(n int) []*probes.Site {
	s := probes.Site{Raw: 10} // as many as a script can name
	for _, at := range o.Sites {
		if at.Hook.Kind == probes.User && at.Derived == nil {
			s = *at
			break
		}
	}
	if o.Family {
		s.Progeny = o.PIDs[0]
	}
	s.Probe, s.ID, s.Except = probes.Probe(o.Pattern), 0, nil
	s.Hook = probes.Hook{Kind: probes.User, Target: "pattern", Offset: uint64(n)}
	other := s
	s.Key, other.Key, other.ID = 1, 2, 1
	return []*probes.Site{&s, &other}
}

// shapeFunctions returns the sites of the programs of the n-th opening for functions of
// modules.
func (o *Opening) shapeFunctions(n int) (list []*probes.Site) {
	for _, back := range [...]bool{false, true} {
		s := probes.Site{Probe: probes.Probe(o.Pattern), Key: 1, Raw: 10,
			Hook: probes.Hook{Kind: probes.Function, Module: patternModule, Target: "pattern", Offset: uint64(n), Return: back}}
		other := s
		other.Key, other.ID = 2, 1
		list = append(list, &s, &other)
	}
	return list
}

// patternModule stands for the module of a function in a pattern: no module has such a name.
const patternModule = "?"

// IsPattern reports whether h is the hook of a pattern, which is never attached.
func IsPattern(h probes.Hook) bool {
	return h.Kind == probes.User && h.File == "" || h.Kind == probes.Function && h.Module == patternModule
}

// AwaitsModules reports whether modules of the kernel may bring probes.
func (list Openings) AwaitsModules() bool {
	return slices.ContainsFunc(list, func(o *Opening) bool { return o.Modules })
}

// Patterns chooses what was found when the script was checked, and the patterns of its
// openings.
func (list Openings) Patterns(c *check.Clause, i int) []*probes.Site {
	sites := enabled(c, i)
	for _, o := range list {
		if o.Clause == c && o.set == i {
			return append(slices.Clone(sites), o.pattern...)
		}
	}
	return sites
}

// Takes returns nil, or why the clause of an opening cannot be used with a site: it has
// been checked with arguments of other types.
func (o *Opening) Takes(p *check.Program, s *probes.Site) error {
	if !o.Clause.UsesArgs(p) {
		return nil
	}
	set := o.Clause.Probes[o.set]
	if set.Disagree || !slices.EqualFunc(CheckArgs(s.Args), o.Clause.Args, check.SameArg) {
		return fmt.Errorf("%s has not the arguments that the clause was checked with", s.Probe)
	}
	return nil
}

// Has reports whether an opening covered the probe of a site at the start.
func (o *Opening) Has(s *probes.Site) bool {
	return slices.ContainsFunc(o.Sites, func(at *probes.Site) bool { return at.Probe == s.Probe })
}

// PatternOf returns a description as the registry takes it.
func PatternOf(d *ast.ProbeDesc) probes.Pattern {
	return probes.Pattern{Provider: d.Provider, Module: d.Module, Function: d.Function, Name: d.Name}
}
