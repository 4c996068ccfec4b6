package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/outline"
	"dscope.dev/engine/trace"
)

// bag returns what the run took when the air bag detached it; nil if it did not.
func (c *current) bag() *trace.DearError {
	var dear *trace.DearError
	if errors.As(c.err, &dear) {
		return dear
	}
	return nil
}

// bagBrief says in a few words that the air bag has detached the run.
func (m *Model) bagBrief(b *trace.DearError) string {
	return fmt.Sprintf("air bag: %s CPU, limit %s (%s)", trace.Percent(b.Share), trace.Percent(b.Limit), m.keys.Key("run.facts"))
}

// bagWhy says what has happened and what can be done.
func (m *Model) bagWhy(b *trace.DearError) string {
	key := func(action string) string { return m.keys.KeyIn("ledger", action) }
	return fmt.Sprintf("The run was stopped to protect the machine: its probes took %s of all CPUs, and may take %s. Nothing is traced any more; what was counted until then is kept. "+
		"%s runs it again with a limit of %s, %s without a limit.", trace.Percent(b.Share), trace.Percent(b.Limit), key("ledger.resume"), trace.Percent(twice(b.Limit)), key("ledger.without"))
}

// twice returns the next limit: all of the CPUs at most.
func twice(limit float64) float64 { return min(2*limit, 1) }

// noResume says why there is nothing to resume.
func (m *Model) noResume() string {
	if m.run.bag() == nil {
		return "the air bag has not stopped this run"
	}
	return m.noAgain()
}

// resume runs the script again with twice the limit.
func (m *Model) resume() tea.Cmd {
	return m.withBag(fmt.Sprintf("%.4g%%", 100*twice(m.run.bag().Limit)))
}

// runWithout runs the script again without a limit.
func (m *Model) runWithout() tea.Cmd { return m.withBag("off") }

// withBag runs the script again with another limit. That is said in the call, for this run
// alone; only where the script itself has a limit, which comes before that of the call, is
// that changed.
func (m *Model) withBag(limit string) tea.Cmd {
	options := []string{}
	for _, o := range m.run.options {
		if !strings.HasPrefix(o, "airbag=") {
			options = append(options, o)
		}
	}
	if outline.Sets(m.doc().Text(), "airbag") {
		return m.again("airbag", limit, options)
	}
	m.overlay = nil
	return m.startWith(append(options, "airbag="+limit), "") // the status line tells of the limit all the time
}

// bagWord says what the limit of a run is.
func bagWord(limit string) string {
	if limit == "off" {
		return "no air bag"
	}
	return "air bag at " + limit
}

// bagSet says what limit the call of the run has set; "" if none.
func (c *current) bagSet() string {
	for _, o := range c.options {
		if limit, ok := strings.CutPrefix(o, "airbag="); ok {
			return bagWord(limit)
		}
	}
	return ""
}
