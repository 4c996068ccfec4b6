package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// known is the box that tells of the probes of a clause.
type known struct {
	reading
	id    int // of the question that the facts answer
	facts []fact
}

func (*known) title(*Model) string      { return "Probes of the clause" }
func (b *known) body(m *Model) []string { return m.drawFacts(b.facts, &b.reading) }

func (b *known) count(*Model) int { return len(b.facts) }

// knownMsg is what is known of the probes of a clause.
type knownMsg struct {
	id    int
	facts []fact
}

// noClause says why no probes can be told of.
func (m *Model) noClause() string {
	if len(m.doc().ProbesHere()) == 0 {
		return "the cursor is in no clause"
	}
	return ""
}

// mostTold is how many descriptions of a clause are told of.
const mostTold = 16

// openProbes asks what is known of the probes of the clause that the cursor is in, or
// of the description that it is on.
func (m *Model) openProbes() tea.Cmd {
	list := m.doc().ProbesHere()
	if len(list) == 0 {
		return nil
	}
	k := m.looks
	m.asks.told++
	m.overlay = &known{id: m.asks.told, facts: []fact{{"", "looking …", k.popDetail}}}
	id, back, parent, target := m.asks.told, m.back, m.open.ctx, m.target.PID
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, patience)
		defer cancel()
		var facts []fact
		for _, d := range list[:min(len(list), mostTold)] {
			facts = append(facts, k.tell(ctx, back, d, target)...)
		}
		return knownMsg{id, facts}
	}
}

// known shows the answer, unless the box is gone.
func (m *Model) known(msg knownMsg) {
	if b := opened[*known](m); b != nil && b.id == msg.id {
		b.facts = msg.facts
	}
}

// tell returns what a description covers, and what is known of the first of its probes.
func (k looks) tell(ctx context.Context, back Backend, description string, target int) []fact {
	out := []fact{{"probe", description, k.heading}}
	if target != 0 {
		description = strings.ReplaceAll(description, "$target", strconv.Itoa(target))
	}
	list, _, err := back.Probes(ctx, description)
	if err != nil {
		return append(out, fact{"", err.Error(), k.failure})
	}
	if len(list) == 0 {
		return append(out, fact{"", "no probe", k.failure})
	}
	if p := list[0]; len(list) > 1 || p.String() != description {
		out = append(out, fact{"", fmt.Sprintf("covers %s: %s", widget.Count(len(list), "probe"), p), k.popText})
	}
	info, err := back.Describe(ctx, list[0])
	if err != nil {
		return append(out, fact{"", err.Error(), k.failure})
	}
	return append(out, k.about(info)...)
}

// about returns what is known of a probe.
func (k looks) about(info trace.ProbeInfo) (out []fact) {
	for i, a := range info.Args {
		text := a.Type
		if a.Name != "" {
			text += "  " + a.Name
		}
		out = append(out, fact{fmt.Sprintf("args[%d]", i), text, k.popText})
	}
	for _, line := range []fact{{"", info.Unavailable, k.failure}, {"", info.Help, k.popDetail}, {"hook", info.Hook, k.popDetail}} {
		if line.text != "" {
			out = append(out, line)
		}
	}
	return out
}
