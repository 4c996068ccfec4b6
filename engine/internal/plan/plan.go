// Package plan makes a checked script ready to run on this machine: a Plan. It touches
// nothing of the kernel but what the trials have tried (engine/internal/trial).
//
// The sites that the clauses enable are gathered into units, one program each (group.go,
// share.go, bulk.go; what is made of other probes: derived.go). The tree is lowered to the
// intermediate form and optimised (dlang/lower, ir). A table of passes decides how each
// unit is attached and what its program may use (decide.go). Then instructions and maps
// are generated (engine/codegen).
//
// A description that may come to cover more while the script runs is an opening
// (opening.go). What is found for it later becomes an Extension of the plan (extend.go).
package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel"
)

// A Plan is a script made ready to run.
type Plan struct {
	File     *token.File
	Program  *check.Program
	Lowered  *lower.Result
	Object   *codegen.Object
	Options  options.Options
	Target   int // $target; 0 if there is none
	Comm     string
	Terminal bool
	Group    string // folder of the control group outside of which nothing fires; "" if all does
	Probes   int    // sites that the script enables, each clause counted
	Warnings diag.List
	Units    []*Unit

	Estimate trace.Estimate   // of what it takes of the machine
	Openings Openings         // what may come to be covered while the script runs
	target   lower.Target     // for which the script was lowered
	Features codegen.Features // with which it was generated
	level    int              // of optimisation

	WithoutTables func() (*codegen.Object, error)      // makes the object without the walk of stacks by tables; nil if there is none in it
	WhyFrames     string                               // why stacks of processes are walked by frame pointers; "" if they are not
	WithoutTramps func(context.Context) (*Plan, error) // compiles without trampolines; nil if there are none
}

// mostPrograms is how many the kernel verifies in about a minute.
const mostPrograms = 6000

// A Draft is a script that has been checked, with what its run is to be.
type Draft struct {
	File     *token.File
	Program  *check.Program
	List     diag.List // warnings
	Options  options.Options
	Target   int // $target; 0 if there is none
	Comm     string
	Terminal bool
	Group    string                        // as in a Plan
	Level    int                           // of optimisation: 0 none, 1 all passes
	Watch    func(pass string, f *ir.Func) // sees every function after every pass, if set
	Plain    bool                          // whether no function is to be hooked by trampoline
}

// Make plans a script: it gathers units, and has them lowered, optimised and generated. The
// error of a faulty script is a *diag.ListError.
func (m *Machine) Make(ctx context.Context, d Draft) (*Plan, error) {
	f, p := d.File, d.Program
	c := &Plan{File: f, Program: p, Options: d.Options, Target: d.Target, Terminal: d.Terminal, Comm: d.Comm, Group: d.Group}
	if c.Options.FollowFork {
		descend(p)
	}
	c.Openings = FindOpenings(p, &c.Options)
	c.Units = Group(p, c.Openings.Patterns, NewBulks(p), m.Kernel.RawCookies, func() bool { return !d.Plain && m.Trials.Functions().Tramp == nil })
	if len(c.Units) > mostPrograms {
		list := d.List
		list.Add(c.Units[mostPrograms].Clauses[0].Clause.AST.Probes[0].Span(), diag.Unsupported, "the script needs more than %d programs, one for each hook", mostPrograms).
			Suggest("name fewer probes, or let clauses share them")
		return nil, &diag.ListError{File: f, List: list}
	}
	if err := m.covered(c.Units); err != nil {
		return nil, err
	}
	for _, clause := range p.Clauses {
		for _, set := range clause.Probes {
			c.Probes += set.Count
		}
	}
	for {
		err := m.program(ctx, d, c)
		parts, again := divided(c.Units, err)
		if err == nil {
			parts, again = lighter(c.Units, sizes(c.Object), 2*mostChecked)
		}
		switch {
		case again:
			c.Units = parts
		case err != nil:
			return nil, generated(err, f)
		default:
			return c, nil
		}
	}
}

// program has the units of c lowered, optimised and generated.
func (m *Machine) program(ctx context.Context, d Draft, c *Plan) error {
	f, p, o, list := d.File, d.Program, d.Options, d.List
	fail := func() error { return &diag.ListError{File: f, List: list} }
	var lowering []lower.Unit
	var generating []*codegen.Unit
	for i, u := range c.Units {
		lowering = append(lowering, u.Lowering(fmt.Sprintf("u%d", i)))
		lowering[i].Alone = u.alone(m.Facts.AtLeast(7, 0))
		if u.divisible() {
			lowering[i].Enough = enough
		}
		generating = append(generating, u.generating())
	}
	target := lower.Target{Kernel: linux.Kernel{Task: m.Kernel.Struct("task_struct"), Struct: m.Kernel.Struct}, ABI: m.Facts.Arch, PIDs: m.Trials.PIDs(),
		Seal: m.Seal, RoundByRound: codegen.QuirksOf(m.Facts.AtLeast).Has(codegen.RoundByRound), Stopped: func() bool { return ctx.Err() != nil }}
	var more diag.List
	o.LimitFrames(m.Facts.MaxStack)
	list = append(list, shallow(p, o.MaxFrames, m.Facts.MaxStack)...)
	passing, making := newPassing(ctx, f, d.Level), target
	if d.Watch == nil {
		making.Made = passing.begin
	}
	defer passing.end()
	c.Lowered, more = lowered(p, lowering, making, o.IR())
	if list = append(list, more...); list.Failed() {
		list.Sort()
		m.Hint(list)
		return fail()
	}
	if parts, again := lighter(c.Units, foreseen(c.Lowered), mostChecked); again {
		c.Units = parts
		return m.program(ctx, d, c)
	}
	if d.Watch != nil {
		passing.watched(c.Lowered.IR.Funcs, d.Watch)
	}
	if err := passing.end(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	features, err := m.features(&o, c.Units, c.Lowered)
	if err != nil {
		return err
	}
	if features.BufSize > ringSize(&o) {
		c.Options.BufSize = features.BufSize
	}
	features.InGroup = c.Group != ""
	features.AggRoom, features.AssocRoom = AggRoom(c.Lowered, o.StrSize), assocRoom(p, o.StrSize)
	if err := m.decide(decisions{units: generating, ir: c.Lowered.IR, features: &features, plain: d.Plain}); err != nil {
		return err
	}
	if c.Object, err = codegen.Generate(c.Lowered.IR, generating, features); err != nil {
		return err
	}
	c.Object.Quote(f)
	c.target, c.Features, c.level, c.Warnings = target, features, d.Level, list
	c.WhyFrames = m.byFrames(c)
	if c.Object.Maps.Unwind {
		c.WithoutTables = func() (*codegen.Object, error) {
			features.Unwind = nil
			return codegen.Generate(c.Lowered.IR, generating, features)
		}
	}
	return nil
}

// lowered lowers units. Of one that has enough before its end all is lowered if there is something
// to complain of: the rest may hold more.
func lowered(p *check.Program, units []lower.Unit, target lower.Target, opts ir.Options) (*lower.Result, diag.List) {
	r, list := lower.Lower(p, units, target, opts)
	if !list.Failed() || !r.Left {
		return r, list
	}
	for i := range units {
		units[i].Enough = 0
	}
	target.Made = nil
	return lower.Lower(p, units, target, opts)
}

// Hint adds to what this kernel does not tell why it does not, and the remedy.
// The compiler knows that a type is missing, and the kernel's files why.
func (m *Machine) Hint(list diag.List) {
	for _, d := range list {
		if d.Hint != "" || d.Cause != diag.NoTypes {
			continue
		}
		_, err := m.Kernel.Type("struct", "", "task_struct")
		var missing *kernel.Missing
		if errors.As(err, &missing) {
			d.Hint = missing.Error()
		}
	}
}

// ClausesOf names the clauses that a unit serves by the lines on which they begin.
func (c *Plan) ClausesOf(unit int) string {
	var lines []int
	for _, uc := range c.Units[unit].Clauses {
		_, line, _ := c.File.Place(uc.Clause.AST.Span().From)
		lines = append(lines, line)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	const most = 4
	list := make([]string, min(len(lines), most))
	for i := range list {
		list[i] = fmt.Sprint(lines[i])
	}
	switch n := len(lines); {
	case n == 0: // the hook of a derived probe
		return c.Object.Units[unit].Hook.String()
	case n == 1:
		return "the clause of line " + list[0]
	case n > most:
		return fmt.Sprintf("%d clauses, of lines %s and others", n, strings.Join(list, ", "))
	}
	last := len(list) - 1
	return "the clauses of lines " + strings.Join(list[:last], ", ") + " and " + list[last]
}
