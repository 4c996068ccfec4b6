package engine

import (
	"context"
	"errors"
	"fmt"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/explain"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// Explain tells what the word at a byte offset of a script means: its type, and for a probe
// description its arguments, how it is hooked and what that costs. Ok is false where
// there is nothing to tell.
func (e *Engine) Explain(ctx context.Context, asked trace.Script, at int) (x trace.Explanation, ok bool) {
	o := options.Default()
	o.DefaultArgs = true
	s, err := called(asked, o)
	if err != nil {
		return x, false
	}
	return e.ExplainIn(ctx, s, at)
}

// ExplainIn is Explain for a script as a command line has it. at is an offset of the text as
// the compiler reads it, which a preprocessor may have made.
func (e *Engine) ExplainIn(ctx context.Context, s Script, at int) (x trace.Explanation, ok bool) {
	defer func() {
		if recover() != nil {
			x, ok = trace.Explanation{}, false // what the checker has to say, it says itself
		}
	}()
	_, p, _ := e.check(ctx, &s, false)
	v := &env{e: e, ctx: ctx, target: s.Target, followed: s.followed()}
	w, ok := explain.At(p, v, token.Pos(at+1))
	if !ok {
		return x, false
	}
	x = trace.Explanation{From: w.At.From.Offset(), To: w.At.To.Offset(), Decl: w.Decl, Help: w.Help}
	if w.Probe != nil {
		e.explainProbe(v, w.Probe, &x)
	}
	return x, x.Decl != "" || x.Help != ""
}

// explainProbe tells of the probes that a description covers.
func (e *Engine) explainProbe(v *env, d *ast.ProbeDesc, x *trace.Explanation) {
	meant := *d
	meant.Provider = expandTarget(d.Provider, v.target)
	if functionsProvider(meant.Provider) > 0 && meant.Function == "" {
		x.Decl = d.Text // all instructions of a process are not listed for a word of help
		x.Help = "functions of a process"
		return
	}
	entries, err := v.entries(&meant)
	if err == nil && len(entries) == 0 {
		err = errors.New("no probe is called so here")
	}
	if err != nil {
		x.Decl, x.Help = d.Text, err.Error()
		return
	}
	first := entries[0]
	x.Decl = first.Probe.String()
	if len(entries) > 1 {
		x.Notes = append(x.Notes, fmt.Sprintf("%s covers %d probes; this is the first of them", d.Text, len(entries)))
	}
	info, err := e.Describe(v.ctx, traceProbe(first.ID, first.Probe))
	if err != nil {
		x.Help = err.Error()
		return
	}
	for i, a := range info.Args {
		x.Decl += fmt.Sprintf("\nargs[%d]: %s", i, a.Type)
		if a.Name != "" {
			x.Decl += " " + a.Name
		}
	}
	x.Help = info.Help
	if info.Unavailable != "" {
		x.Notes = append(x.Notes, "it cannot be enabled here: "+info.Unavailable)
		return
	}
	site, err := e.registry.Site(first)
	if err != nil {
		return
	}
	x.Notes = append(x.Notes, "hooked by "+info.Hook+": "+e.costOf(site.Hook))
}

// costOf says in words what a firing costs before its clause does anything, on this kernel.
func (e *Engine) costOf(h probes.Hook) string {
	if h.Kind == probes.Function && e.machine.Trials.Functions().Tramp == nil {
		return "cheap, tens of nanoseconds: a trampoline in the function"
	}
	return h.Cost()
}
