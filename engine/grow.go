package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
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

// An opening is a description that may come to cover more.
type opening struct {
	text string // as the script has it
	pat  probes.Pattern
	pids []int // the processes in which it may; 0 is every one

	modules bool // whether modules of the kernel may bring some

	clause  *check.Clause
	set     int // which description of the clause
	family  bool
	sites   []*probes.Site // what it covered at the start
	pattern []*probes.Site // what its program is made for
}

// opens returns the opening of a description that covers some sites; nil, without a
// type, if it cannot come to cover more. What names one process and one file, and has
// found that, is not waited for.
func (v *env) opens(d *ast.ProbeDesc, sites []*probes.Site) any {
	if !v.compiled || d.ID != 0 {
		return nil
	}
	o := &opening{text: d.Text, pat: patternOf(d)}
	o.pids = v.e.registry.Grows(o.pat)
	o.modules = v.e.registry.Awaits(o.pat, len(sites) > 0)
	named := d.Module != "" && !strings.ContainsAny(d.Module, `*?[\`)
	if len(sites) > 0 && named && !slices.Contains(o.pids, 0) {
		o.pids = nil
	}
	if slices.Contains(o.pids, 0) {
		o.pids = []int{0}
	}
	if len(o.pids) == 0 && !o.modules {
		return nil
	}
	return o
}

// openings are those of a script, in its order.
type openings []*opening

// findOpenings finds those of a script. With option followfork, probes of a process fire
// in what descends from it too; with zdefs, modules of the kernel are waited for.
func findOpenings(p *check.Program, opt *options.Options) (list openings) {
	shaped, shapedIn := map[*check.Clause]bool{}, map[*check.Clause]bool{} // that have a program for what may come, in processes and in the kernel
	for _, c := range p.Clauses {
		if c.Unknown {
			continue
		}
		shaped[c] = hasUser(c) && !asksName(c)
		for i := range c.Probes {
			o, ok := c.Probes[i].Open.(*opening)
			if !ok {
				continue
			}
			if o.modules = o.modules && opt.ZeroProbes; !o.modules && len(o.pids) == 0 {
				continue
			}
			o.clause, o.set, o.sites = c, i, enabled(c, i)
			o.family = opt.FollowFork && len(o.pids) > 0 && o.pids[0] != 0
			if len(o.pids) > 0 && !shaped[c] {
				o.pattern, shaped[c] = o.shape(len(list)), true
			}
			if o.modules && !shapedIn[c] {
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
func asksName(c *check.Clause) bool {
	found := false
	ast.Walk(c.AST, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok {
			found = found || strings.HasPrefix(x.Name, "probe")
		}
		return !found
	})
	return found
}

// shape returns the sites of the program of the n-th opening: such as it has already, or
// such as functions have. There are two, so that the program asks which it is.
func (o *opening) shape(n int) []*probes.Site {
	s := probes.Site{Raw: 10} // as many as a script can name
	for _, at := range o.sites {
		if at.Hook.Kind == probes.User && at.Derived == nil {
			s = *at
			break
		}
	}
	if o.family {
		s.Progeny = o.pids[0]
	}
	s.Probe, s.ID, s.Except = probes.Probe(o.pat), 0, nil
	s.Hook = probes.Hook{Kind: probes.User, Target: "pattern", Offset: uint64(n)}
	other := s
	s.Key, other.Key, other.ID = 1, 2, 1
	return []*probes.Site{&s, &other}
}

// shapeFunctions returns the sites of the programs of the n-th opening for functions of
// modules.
func (o *opening) shapeFunctions(n int) (list []*probes.Site) {
	for _, back := range [...]bool{false, true} {
		s := probes.Site{Probe: probes.Probe(o.pat), Key: 1, Raw: 10,
			Hook: probes.Hook{Kind: probes.Function, Module: patternModule, Target: "pattern", Offset: uint64(n), Return: back}}
		other := s
		other.Key, other.ID = 2, 1
		list = append(list, &s, &other)
	}
	return list
}

// patternModule stands for the module of a function in a pattern: no module has such a name.
const patternModule = "?"

// isPattern reports whether h is the hook of a pattern, which is never attached.
func isPattern(h probes.Hook) bool {
	return h.Kind == probes.User && h.File == "" || h.Kind == probes.Function && h.Module == patternModule
}

// awaitsModules reports whether modules of the kernel may bring probes.
func (list openings) awaitsModules() bool {
	return slices.ContainsFunc(list, func(o *opening) bool { return o.modules })
}

// patterns chooses what was found when the script was checked, and the patterns of its
// openings.
func (list openings) patterns(c *check.Clause, i int) []*probes.Site {
	sites := enabled(c, i)
	for _, o := range list {
		if o.clause == c && o.set == i {
			return append(slices.Clone(sites), o.pattern...)
		}
	}
	return sites
}

// takes returns nil, or why the clause of an opening cannot be used with a site: it has
// been checked with arguments of other types.
func (o *opening) takes(p *check.Program, s *probes.Site) error {
	if !o.clause.UsesArgs(p) {
		return nil
	}
	set := o.clause.Probes[o.set]
	if set.Disagree || !slices.EqualFunc(checkArgs(s.Args), o.clause.Args, check.SameArg) {
		return fmt.Errorf("%s has not the arguments that the clause was checked with", s.Probe)
	}
	return nil
}

// An extension is what a script has got while it ran.
type extension struct {
	units   []*unit // of the script and all that was added
	from    int     // number of the first that is new
	lowered *lower.Result
	object  *codegen.Object
	program *check.Program
}

// mostUnits is how many units records can tell apart, whose number is kept above the
// lower.KeyUnitShift bits of a key.
const mostUnits = 1<<(32-lower.KeyUnitShift) - 1

// errFull is what extend says of a script to which nothing more can be added.
var errFull = errors.New("no more probes can be added to this run")

// extend compiles a script for sites that have been found since, by opening. Last is
// what was made so before, nil at first.
func (e *Engine) extend(ctx context.Context, c *Compiled, last *extension, found map[*opening][]*probes.Site) (_ *extension, err error) {
	defer recovered(&err)
	x := &extension{units: c.units, lowered: c.Lowered, program: c.Program}
	if last != nil {
		x.units, x.lowered = last.units, last.lowered
	}
	x.from = len(x.units)
	added := group(c.Program, func(cl *check.Clause, i int) []*probes.Site {
		for _, o := range c.openings {
			if o.clause == cl && o.set == i {
				return found[o]
			}
		}
		return nil
	}, &bulks{}, e.kernel.RawCookies, func() bool { return false })
	if x.units = append(slices.Clone(x.units), added...); len(x.units) > mostUnits {
		return nil, errFull
	}
	var lowering []lower.Unit
	var generating []*codegen.Unit
	for i, u := range x.units {
		lowering = append(lowering, u.lowering(fmt.Sprintf("u%d", i)))
		lowering[i].Alone = u.alone(e.facts.AtLeast(7, 0))
		generating = append(generating, u.generating())
	}
	target := c.target
	target.Stopped = func() bool { return ctx.Err() != nil }
	var list diag.List
	x.lowered, list, err = lower.Extend(x.lowered, c.Program, lowering, x.from, target, c.Options.IR())
	if list.Failed() {
		return nil, &diag.ListError{File: c.File, List: list}
	}
	if err != nil {
		return nil, err
	}
	if err := optimize(ctx, c.File, x.lowered.IR.Funcs, c.level, nil); err != nil {
		return nil, err
	}
	e.multi(generating[x.from:])
	if err := e.ways(generating[x.from:], true); err != nil { // a trampoline would be refused for the whole program
		return nil, err
	}
	if err := e.allocates(generating, x.lowered.IR); err != nil {
		return nil, err
	}
	features := c.features
	if !c.Object.Maps.Unwind {
		features.Unwind = nil
	}
	if x.object, err = codegen.Generate(x.lowered.IR, generating, features); err != nil {
		return nil, generated(err, c.File)
	}
	x.object.Quote(c.File)
	return x, ctx.Err()
}

// summary says what was added, file by file.
func summary(units []*unit, missing map[probes.Hook]error) []string {
	type group struct{ provider, module string }
	count := map[group]int{}
	seen := map[uint32]bool{}
	for _, u := range units {
		for i, s := range u.sites {
			if missing[u.hooks[min(i, len(u.hooks)-1)]] == nil && !seen[s.ID] {
				seen[s.ID] = true
				count[group{s.Probe.Provider, s.Probe.Module}]++
			}
		}
	}
	var lines []string
	for _, g := range slices.SortedFunc(maps.Keys(count), func(a, b group) int {
		return strings.Compare(a.provider+":"+a.module, b.provider+":"+b.module)
	}) {
		lines = append(lines, fmt.Sprintf("added %s of %s:%s", plural(count[g], "probe"), g.provider, g.module))
	}
	return lines
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
