package browser

import (
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
)

// pattern returns the probe description that covers all probes of r. Those of the
// process that is the script's target are described by that name.
func (m *Model) pattern(r row) string {
	var list []string
	for _, p := range m.catalog.patterns(r) {
		list = append(list, m.aimed(p))
	}
	return strings.Join(list, ",\n")
}

// aimed writes $target for the number of the process that is the target.
func (m *Model) aimed(pattern string) string {
	provider, rest, _ := strings.Cut(pattern, ":")
	if m.scope == nil || m.scope.process.PID != m.target.PID {
		return pattern
	}
	if name, ok := strings.CutSuffix(provider, strconv.Itoa(m.target.PID)); ok {
		return name + "$target:" + rest
	}
	return pattern
}

// patterns returns descriptions that together cover the probes of r. Every function
// of a process has a probe at each of its instructions besides, which is not meant:
// a branch of functions is described by how they are entered.
func (c *Catalog) patterns(r row) []string {
	if r.files {
		return []string{r.label + ":::entry"}
	}
	if r.file > 0 {
		return []string{functionsOf(c.process) + ":" + trace.Spell(c.process.Modules[r.file-1].Name) + "::entry"}
	}
	if r.len() == 0 {
		return []string{r.label + ":::"}
	}
	p := c.probes[r.from]
	before := trace.Spell(p.Provider) + ":" + trace.Spell(p.Module) + ":"
	switch {
	case r.leaf, r.level == nameLevel:
		return []string{before + trace.Spell(p.Function) + ":" + trace.Spell(p.Name)}
	case r.level == functionLevel && c.process != nil && p.Provider == functionsOf(c.process):
		var list []string
		for i := r.from; i < r.to; i++ {
			list = append(list, before+trace.Spell(p.Function)+":"+trace.Spell(c.probes[i].Name))
		}
		return list
	case r.level == functionLevel:
		return []string{before + trace.Spell(p.Function) + ":"}
	case r.level == moduleLevel:
		return []string{before + ":"}
	}
	return []string{p.Provider + ":::"}
}

// functionsOf returns the provider of the functions of a process.
func functionsOf(p *trace.ProcessInfo) string { return "pid" + strconv.Itoa(p.PID) }
