package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/engine/ps"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/user"
)

// The probes of processes are completed by what their families list for a person to
// choose from. To match a description that has been begun would cover each instruction
// of each function.

// listed is the functions of a file that were listed last: who types a name asks for
// them with every letter.
type listed struct {
	process trace.Process
	path    string
	list    []trace.Probe
}

// expandTarget writes the number of the target for $target, if there is one.
func expandTarget(provider string, target int) string {
	if target > 0 {
		return strings.ReplaceAll(provider, "$target", strconv.Itoa(target))
	}
	return provider
}

// functionsProvider returns the process in pid1234, 0 if a provider is another one.
func functionsProvider(provider string) int {
	digits, ok := strings.CutPrefix(provider, user.Name)
	pid, err := strconv.Atoi(digits)
	if !ok || err != nil || pid < 0 {
		return 0
	}
	return pid
}

// completePID completes the number in the name of a provider of functions, and that of
// the target.
func (e *Engine) completePID(ctx context.Context, parts []string, target int) []trace.Completion {
	typed := parts[0]
	if len(parts) > 1 || typed == "" {
		return nil
	}
	var list []trace.Completion
	offer := func(provider, detail string) {
		if strings.HasPrefix(provider, typed) {
			list = append(list, trace.Completion{Text: provider + ":", Detail: detail, Kind: trace.CompleteProbe})
		}
	}
	if target > 0 {
		if p, err := ps.New().Find(target); err == nil {
			offer(user.Name+"$target", "functions of "+p.Name)
			offer(e.locks.Name()+"$target", "locks of "+p.Name)
		}
	}
	if !strings.HasPrefix(typed, user.Name) {
		return list
	}
	running, err := ps.New().List(ctx)
	if err != nil {
		return list
	}
	for _, p := range running {
		offer(user.Name+strconv.Itoa(p.PID), p.Name+" ("+p.User+") "+p.Line)
	}
	return list
}

// completeFunction completes a description of a function of a process behind its
// provider. What is typed stays as it is.
func (e *Engine) completeFunction(ctx context.Context, pid int, parts []string) []trace.Completion {
	depth := len(parts) - 1
	modules, err := e.processes.Modules(pid)
	if err != nil {
		return nil
	}
	before := strings.Join(parts[:depth], ":") + ":"
	var list []trace.Completion
	offer := func(part, behind, detail string) {
		text := before + trace.Spell(part) + behind
		known := func(c trace.Completion) bool { return c.Text == text }
		if strings.HasPrefix(trace.Spell(part), parts[depth]) && !slices.ContainsFunc(list, known) {
			list = append(list, trace.Completion{Text: text, Detail: detail, Kind: trace.CompleteProbe})
		}
	}
	if depth == 1 {
		for _, m := range modules {
			if m.Main {
				offer("a.out", ":", m.Path)
			}
			offer(m.Name, ":", m.Path)
		}
		return list
	}
	if depth == 3 {
		offer("entry", "", "the function is called")
		offer("return", "", "it returns")
		return list
	}
	i := slices.IndexFunc(modules, func(m user.Module) bool { return isModule(m, parts[1]) })
	if i < 0 {
		return nil
	}
	for _, f := range e.functionsAt(ctx, pid, modules[i]) {
		spelt := trace.Spell(f.Function)
		if !strings.HasPrefix(spelt, parts[2]) || len(list) > 0 && list[len(list)-1].Text == before+spelt+":" {
			continue // the second probe of it
		}
		list = append(list, trace.Completion{Text: before + spelt + ":", Detail: f.Function, Kind: trace.CompleteProbe})
		if len(list) == mostCompletions {
			break
		}
	}
	return list
}

// isModule reports whether the module part of a description means m; one that is left
// out means the program itself here.
func isModule(m user.Module, part string) bool {
	if part == "" || part == "a.out" {
		return m.Main
	}
	stem, _, _ := strings.Cut(m.Name, ".so")
	return probes.Glob(part, m.Name) || probes.Glob(part, stem)
}

// functionsAt lists the functions of a file, which are read again only if another file
// was looked at meanwhile.
func (e *Engine) functionsAt(ctx context.Context, pid int, m user.Module) []trace.Probe {
	p, err := ps.New().Find(pid)
	if err != nil {
		return nil
	}
	e.mu.Lock()
	last := e.listed
	e.mu.Unlock()
	if last.process.PID == p.PID && last.process.Born == p.Born && last.path == m.Path {
		return last.list
	}
	list, err := e.Functions(ctx, p, trace.Module{Name: m.Name, Path: m.Path, Main: m.Main})
	if err != nil {
		return nil
	}
	e.mu.Lock()
	e.listed = listed{p, m.Path, list}
	e.mu.Unlock()
	return list
}
