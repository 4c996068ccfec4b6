package browser

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/patience"
)

// The probes of the machine are read once, and those that programs carry are of processes,
// which end. So whoever goes about in the tree has it looked at from time to time whose
// processes run, and what is over is marked; to read all anew is asked for with a key.

// AgainMsg asks the parent to read the probes anew, and to hand them over by SetCatalog.
type AgainMsg struct{}

// runningMsg says which processes run.
type runningMsg struct {
	catalog *Catalog // of which it was asked
	pids    map[string]bool
}

// lookRate is how long it is taken for true what runs.
const lookRate = 3 * time.Second

// over is what is said of a provider whose process has ended.
const over = "its process has ended"

// numbered returns the digits at the end of the name of a provider, which the number of its
// process is at the end of; "" if it is none of a process.
func (c *Catalog) numbered(p *trace.ProviderInfo) string {
	if c.families[p.Name] {
		return ""
	}
	at := len(p.Name)
	for at > 0 && p.Name[at-1] >= '0' && p.Name[at-1] <= '9' {
		at--
	}
	return p.Name[at:]
}

// runs reports whether one of the numbers that digits end with is of a process that runs: the
// name before it may end with a digit, too.
func runs(pids map[string]bool, digits string) bool {
	for ; digits != ""; digits = digits[1:] {
		if pids[digits] {
			return true
		}
	}
	return false
}

// lookWhoRuns asks which processes run, unless that was asked a moment ago, or the tree shows
// nothing of processes.
func (m *Model) lookWhoRuns() tea.Cmd {
	now := time.Now()
	if m.source == nil || m.scope != nil || m.catalog == nil || now.Sub(m.lookedAt) < lookRate {
		return nil
	}
	c, source := m.catalog, m.source
	if !slices.ContainsFunc(c.providers, func(p trace.ProviderInfo) bool { return c.numbered(&p) != "" }) {
		return nil
	}
	m.lookedAt = now
	return func() tea.Msg {
		list, err := patience.Within(context.Background(), describing, source.Processes)
		if err != nil { // nothing is known, so nothing is over
			return nil
		}
		pids := map[string]bool{}
		for _, p := range list {
			pids[strconv.Itoa(p.PID)] = true
		}
		return runningMsg{c, pids}
	}
}

// markOver marks the providers whose processes do not run any more.
func (m *Model) markOver(msg runningMsg) {
	if msg.catalog != m.catalog {
		return
	}
	c := *m.catalog
	c.providers = slices.Clone(c.providers)
	changed := false
	for i := range c.providers {
		p := &c.providers[i]
		if digits := c.numbered(p); p.Unavailable == "" && digits != "" && !runs(msg.pids, digits) {
			p.Unavailable, changed = over, true
		}
	}
	if changed {
		m.replant(&c)
		m.catalog = &c
		m.settle()
	}
}

// reasonOf says why the probes of a line cannot be had; "" if they can.
func (m *Model) reasonOf(r row) string {
	if r.reason != "" || r.len() == 0 {
		return r.reason
	}
	name := m.catalog.probes[r.from].Provider
	for i := range m.catalog.providers {
		if m.catalog.providers[i].Name == name {
			return m.catalog.providers[i].Unavailable
		}
	}
	return ""
}

// noAgain says why nothing can be read anew.
func (m *Model) noAgain() string {
	if m.source == nil {
		return "a recording has the probes that it has"
	}
	return ""
}

// again reads the probes anew, or looks at the process anew: it may have loaded libraries.
func (m *Model) again() tea.Cmd {
	if m.scope != nil {
		return m.enterScope(m.scope.process)
	}
	m.why = "reading the probes …"
	return func() tea.Msg { return AgainMsg{} }
}
