package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
	"dscope.dev/probes/kinst"
)

// Functions of the kernel are hooked by the cheapest way that this kernel has: a
// trampoline for each of a few functions, one kprobe for all of many
// (kprobe_multi), and a kprobe for each where that is all there is.

// functionHooks says which of these ways this kernel has not, and why.
type functionHooks struct {
	tramp, multi, single error // nil if it has
}

// err returns nil, or why functions cannot be hooked at all.
func (f functionHooks) err() error {
	if f.tramp == nil || f.multi == nil || f.single == nil {
		return nil
	}
	if errors.Is(f.tramp, ErrPrivileges) {
		return f.tramp
	}
	return fmt.Errorf("nothing hooks functions here: fentry: %w; kprobe: %w "+
		"(use a kernel built with CONFIG_KPROBES, CONFIG_FUNCTION_TRACER and CONFIG_FPROBE, and not locked down)", f.tramp, f.single)
}

// hooksFunctions returns nil, or why this kernel cannot hook functions.
func (e *Engine) hooksFunctions() error { return e.functions().err() }

// hooksInstructions returns nil, or why this kernel cannot hook instructions.
func (e *Engine) hooksInstructions() error {
	f := e.functions()
	if f.single == nil || errors.Is(f.single, ErrPrivileges) {
		return f.single
	}
	return fmt.Errorf("nothing hooks instructions here: kprobe: %w (use a kernel built with CONFIG_KPROBES and CONFIG_KPROBE_EVENTS, and not locked down)", f.single)
}

// mostSingles is how many functions are hooked one by one: each takes
// milliseconds, and one after another to let go.
const mostSingles = 4096

// ways chooses how the units of functions are attached. If plain, none by
// trampoline, because the kernel has refused one.
func (e *Engine) ways(units []*codegen.Unit, plain bool) error {
	for _, u := range units {
		if u.Hook.Kind == probes.Instruction {
			if err := e.hooksInstructions(); err != nil {
				return err
			}
			if len(u.Hooks) > mostSingles {
				return fmt.Errorf("enable %s and %d other instructions: they are hooked one by one, which would take minutes; name at most %d",
					u.Sites[0].Probe, len(u.Hooks)-1, mostSingles)
			}
		}
		if u.Hook.Kind != probes.Function {
			continue
		}
		f := e.functions()
		if err := f.err(); err != nil {
			return err
		}
		u.Tramp = len(u.Hooks) == 1 && trampolines(u.Sites[0]) && f.tramp == nil && !plain
		u.Multi = !u.Tramp && f.multi == nil
		u.Why = f.why(u, plain)
		if u.Tramp && u.Hook.Return && e.facts.AtLeast(6, 19) {
			u.Skip = -1 // trampolines that wait for the return are jumped to, and the function has no frame there
		}
		switch {
		case u.Tramp || u.Multi:
		case f.single != nil:
			return fmt.Errorf("enable %s: the kernel does not tell its type, which a trampoline needs; by kprobe, %w", u.Sites[0].Probe, f.single)
		case len(u.Hooks) > mostSingles:
			return fmt.Errorf("enable %s and %d other functions: this kernel hooks them one by one, which would take minutes, and %d at most (it has no kprobe_multi, "+
				"which wants Linux 5.18 with CONFIG_FPROBE: %w); name a module, as in fbt:ext4::entry, or a family, as in fbt::tcp_*:entry",
				u.Sites[0].Probe, len(u.Hooks)-1, mostSingles, f.multi)
		}
		if !u.Tramp {
			go e.kernel.Symbols() // their addresses, which take a while to read
		}
	}
	return nil
}

// why says why a unit is not hooked by a cheaper way.
func (f functionHooks) why(u *codegen.Unit, plain bool) string {
	switch {
	case u.Tramp:
		return ""
	case f.tramp != nil:
		return fmt.Sprintf("fentry: %v", f.tramp)
	case plain && len(u.Hooks) < shareFrom:
		return "the kernel refuses a trampoline at one of the functions of the script"
	case len(u.Hooks) == 1:
		return "the kernel does not tell its type, or no trampoline can pass its arguments"
	case f.multi != nil:
		return fmt.Sprintf("kprobe_multi: %v", f.multi)
	}
	return ""
}

// leftOut names the copies of inlined functions that a script has asked for and that
// are not traced, and, by reason, the functions that are not safe to trace, where it asks
// for so many that these may be thought to be among them.
func (e *Engine) leftOut(c *Compiled) (lines []string) {
	for _, clause := range c.Program.Clauses {
		for _, d := range clause.AST.Probes {
			if d.Provider == kinst.Name {
				lines = append(lines, e.instructions.LeftOut(patternOf(d))...)
			}
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	many := slices.ContainsFunc(c.Object.Units, func(u *codegen.Unit) bool {
		return u.Hook.Kind == probes.Function && len(u.Hooks) >= bulkFrom
	})
	if !many {
		return lines
	}
	funcs, err := e.kernel.Functions()
	if err != nil {
		return lines
	}
	var reasons []string
	names := map[string][]string{}
	for _, s := range funcs.Spared {
		if names[s.Why] == nil {
			reasons = append(reasons, s.Why)
		}
		names[s.Why] = append(names[s.Why], s.Name)
	}
	for _, why := range reasons {
		lines = append(lines, fmt.Sprintf("left out because %s: %s", why, strings.Join(names[why], " ")))
	}
	return lines
}

// trampolines reports whether a site can be hooked by trampoline.
func trampolines(s *probes.Site) bool { return s.Hook.Kind == probes.Function && s.Words > 0 }

// tramps reports whether a script has a trampoline.
func (c *Compiled) tramps() bool {
	for _, u := range c.Object.Units {
		if u.Tramp {
			return true
		}
	}
	return false
}
