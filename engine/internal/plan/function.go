package plan

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/probes"
	"dscope.dev/probes/kinst"
)

// Functions of the kernel are hooked by the cheapest way that this kernel has: a
// trampoline for each of a few functions, one kprobe for all of many
// (kprobe_multi), and a kprobe for each where that is all there is.

// mostSingles is how many functions are hooked one by one: each takes
// milliseconds, and one after another to let go.
const mostSingles = 4096

// ways chooses how the units of functions are attached. If plain, none by
// trampoline, because the kernel has refused one.
func (m *Machine) ways(units []*codegen.Unit, plain bool) error {
	for _, u := range units {
		if u.Hook.Kind == probes.Instruction {
			if err := m.Trials.Functions().InstructionErr(); err != nil {
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
		f := m.Trials.Functions()
		if err := f.Err(); err != nil {
			return err
		}
		u.Tramp = len(u.Hooks) == 1 && trampolines(u.Sites[0]) && f.Tramp == nil && !plain
		u.Multi = !u.Tramp && f.Multi == nil
		u.Why = why(f, u, plain)
		if u.Tramp && u.Hook.Return && m.Facts.AtLeast(6, 19) {
			u.Skip = -1 // trampolines that wait for the return are jumped to, and the function has no frame there
		}
		switch {
		case u.Tramp || u.Multi:
		case f.Single != nil:
			return fmt.Errorf("enable %s: the kernel does not tell its type, which a trampoline needs; by kprobe, %w", u.Sites[0].Probe, f.Single)
		case len(u.Hooks) > mostSingles:
			return fmt.Errorf("enable %s and %d other functions: this kernel hooks them one by one, which would take minutes, and %d at most (it has no kprobe_multi, "+
				"which wants Linux 5.18 with CONFIG_FPROBE: %w); name a module, as in fbt:ext4::entry, or a family, as in fbt::tcp_*:entry",
				u.Sites[0].Probe, len(u.Hooks)-1, mostSingles, f.Multi)
		}
		if !u.Tramp {
			go m.Kernel.Symbols() // their addresses, which take a while to read
		}
	}
	return nil
}

// why says why a unit is not hooked by a cheaper way.
func why(f trial.Functions, u *codegen.Unit, plain bool) string {
	switch {
	case u.Tramp:
		return ""
	case f.Tramp != nil:
		return fmt.Sprintf("fentry: %v", f.Tramp)
	case plain && len(u.Hooks) < shareFrom:
		return "the kernel refuses a trampoline at one of the functions of the script"
	case len(u.Hooks) == 1:
		return "the kernel does not tell its type, or no trampoline can pass its arguments"
	case f.Multi != nil:
		return fmt.Sprintf("kprobe_multi: %v", f.Multi)
	}
	return ""
}

// LeftOut names the copies of inlined functions that a script has asked for and that
// are not traced, and, by reason, the functions that are not safe to trace, where it asks
// for so many that these may be thought to be among them.
func (m *Machine) LeftOut(c *Plan) (lines []string) {
	for _, clause := range c.Program.Clauses {
		for _, d := range clause.AST.Probes {
			if d.Provider == kinst.Name {
				lines = append(lines, m.Instructions.LeftOut(PatternOf(d))...)
			}
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	many := slices.ContainsFunc(c.Object.Units, func(u *codegen.Unit) bool {
		return u.Hook.Kind == probes.Function && len(u.Hooks) >= BulkFrom
	})
	if !many {
		return lines
	}
	funcs, err := m.Kernel.Functions()
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

// HasTramps reports whether a script has a trampoline.
func (c *Plan) HasTramps() bool {
	for _, u := range c.Object.Units {
		if u.Tramp {
			return true
		}
	}
	return false
}
