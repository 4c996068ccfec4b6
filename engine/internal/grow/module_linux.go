package grow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/sideband"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// A moduleWatch is what a growth knows of the modules of the kernel. A module is
// looked at once it works: what it does while it is set up is not seen. One that goes
// away and comes back is another one: its functions lie elsewhere.
type moduleWatch struct {
	ear  *sideband.ModuleEar // nil if none are waited for
	seen []string            // in order; those that were there when the probes were listed, then those that were looked at
	told map[string]bool     // what could not be listed was told
	late bool                // whether modules were looked at: what comes from then on is not there from the start
}

// listen begins to wait for modules.
func (w *moduleWatch) listen(k *kernel.Kernel) (err error) {
	w.seen = slices.Clone(k.Listed())
	w.ear, err = sideband.ListenModules()
	return err
}

// close ends that.
func (w *moduleWatch) close() error {
	if w.ear == nil {
		return nil
	}
	return w.ear.Close()
}

// fds returns what becomes readable when a module has come or gone.
func (w *moduleWatch) fds() []int {
	if w.ear == nil {
		return nil
	}
	return []int{w.ear.FD()}
}

// update notes which modules work now, and returns those that have come.
func (w *moduleWatch) update(live []string) (came []string) {
	for _, m := range live {
		if _, known := slices.BinarySearch(w.seen, m); !known {
			came = append(came, m)
		}
	}
	w.seen = live
	return came
}

// modules returns what the openings cover in modules that have come.
func (g *Growth) modules() (found []addition) {
	defer func() { g.watch.late = true }()
	live, err := g.Machine.Kernel.LiveModules()
	if err != nil {
		g.tellOnce(err)
		return nil
	}
	came := g.watch.update(live)
	if len(came) == 0 {
		return nil
	}
	g.Machine.Kernel.Renew(came)
	g.inDrain(func() { g.Names.Renew() })
	for _, o := range g.Plan.Openings {
		for _, m := range came {
			if o.Modules && g.ctx.Err() == nil {
				found = append(found, g.inModule(o, m)...)
			}
		}
	}
	if live, err = g.Machine.Kernel.LiveModules(); err == nil {
		for _, m := range tooShort(g.Plan.Openings, came, live) {
			g.tell(trace.WarnItem, fmt.Sprintf("module %s was gone before dscope could look for probes in it", m))
		}
	}
	return found
}

// tooShort returns those of the modules that have come which are not live any more, and of
// which an opening speaks.
func tooShort(list plan.Openings, came, live []string) (gone []string) {
	for _, m := range came {
		named := func(o *plan.Opening) bool {
			return o.Modules && o.Pattern.Module != "" && probes.Glob(o.Pattern.Module, m)
		}
		if _, there := slices.BinarySearch(live, m); !there && slices.ContainsFunc(list, named) {
			gone = append(gone, m)
		}
	}
	return gone
}

// inModule returns what an opening covers in a module that its clause can be used with.
func (g *Growth) inModule(o *plan.Opening, module string) (found []addition) {
	sites, err := g.Registry.Loaded(g.ctx, o.Pattern, module, !o.Clause.UsesArgs(g.Plan.Program))
	if err != nil && g.ctx.Err() == nil {
		g.tellOnce(err)
	}
	refused, why := 0, error(nil) // one stands for all
	for _, s := range sites {
		if !g.watch.late && o.Has(s) {
			continue // it came while the functions were listed
		}
		if err := o.Takes(g.Plan.Program, s); err != nil {
			refused, why = refused+1, cmp.Or(why, err)
			continue
		}
		found = append(found, addition{opening: o, site: s})
	}
	if refused > 0 {
		g.tell(trace.WarnItem, fmt.Sprintf("%s of module %s not added for %s: %v; arg0 to arg9 need no types", plural(refused, "probe"), module, o.Text, why))
	}
	return found
}

// tellOnce tells why modules cannot be looked at, the same thing once.
func (g *Growth) tellOnce(err error) {
	if text := err.Error(); !g.watch.told[text] {
		if g.watch.told == nil {
			g.watch.told = map[string]bool{}
		}
		g.watch.told[text] = true
		g.tell(trace.WarnItem, fmt.Sprintf("modules that are loaded now are not added: %v", err))
	}
}

// ofModules returns, for a complaint, which openings and modules some additions are of.
func ofModules(list []addition) string {
	var texts, modules []string
	for _, n := range list {
		if n.site.Hook.Kind == probes.Function {
			texts, modules = append(texts, n.opening.Text), append(modules, n.site.Probe.Module)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s in module %s: ", strings.Join(eachOnce(texts), ", "), strings.Join(eachOnce(modules), ", "))
}

func eachOnce(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
