package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/mishap"
	"dscope.dev/probes"
)

// An Extension is what a script has got while it ran.
type Extension struct {
	Units   []*Unit // of the script and all that was added
	From    int     // number of the first that is new
	Lowered *lower.Result
	Object  *codegen.Object
	program *check.Program
}

// mostUnits is how many units records can tell apart, whose number is kept above the
// lower.KeyUnitShift bits of a key.
const mostUnits = 1<<(32-lower.KeyUnitShift) - 1

// ErrFull is what extend says of a script to which nothing more can be added.
var ErrFull = errors.New("no more probes can be added to this run")

// Extend compiles a script for sites that have been found since, by opening. Last is
// what was made so before, nil at first.
func (m *Machine) Extend(ctx context.Context, c *Plan, last *Extension, found map[*Opening][]*probes.Site) (_ *Extension, err error) {
	defer mishap.Catch(&err)
	x := &Extension{Units: c.Units, Lowered: c.Lowered, program: c.Program}
	if last != nil {
		x.Units, x.Lowered = last.Units, last.Lowered
	}
	x.From = len(x.Units)
	added := Group(c.Program, func(cl *check.Clause, i int) []*probes.Site {
		for _, o := range c.Openings {
			if o.Clause == cl && o.set == i {
				return found[o]
			}
		}
		return nil
	}, &bulks{}, m.Kernel.RawCookies, func() bool { return false })
	if x.Units = append(slices.Clone(x.Units), added...); len(x.Units) > mostUnits {
		return nil, ErrFull
	}
	if err := m.covered(added); err != nil {
		return nil, err
	}
	var lowering []lower.Unit
	var generating []*codegen.Unit
	for i, u := range x.Units {
		lowering = append(lowering, u.Lowering(fmt.Sprintf("u%d", i)))
		lowering[i].Alone = u.alone(m.Facts.AtLeast(7, 0))
		generating = append(generating, u.generating())
	}
	target := c.target
	target.Stopped = func() bool { return ctx.Err() != nil }
	var list diag.List
	passing, making := newPassing(ctx, c.File, c.level), target
	making.Made = passing.begin
	defer passing.end()
	x.Lowered, list, err = lower.Extend(x.Lowered, c.Program, lowering, x.From, making, c.Options.IR())
	if list.Failed() {
		return nil, &diag.ListError{File: c.File, List: list}
	}
	if err != nil {
		return nil, err
	}
	if err := passing.end(); err != nil {
		return nil, err
	}
	later := decisions{units: generating, from: x.From, ir: x.Lowered.IR, plain: true} // a trampoline would be refused for the whole program
	if err := m.decide(later); err != nil {
		return nil, err
	}
	features := c.Features
	if !c.Object.Maps.Unwind {
		features.Unwind = nil
	}
	if x.Object, err = codegen.Generate(x.Lowered.IR, generating, features); err != nil {
		return nil, generated(err, c.File)
	}
	x.Object.Quote(c.File)
	return x, ctx.Err()
}
