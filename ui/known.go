package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/patience"
	"dscope.dev/ui/widget"
)

// An Explainer is a Backend that knows what the words of a script mean.
type Explainer interface {
	// Explain tells what the word at the byte offset at of the script means; ok is false if
	// there is nothing to tell.
	Explain(ctx context.Context, s trace.Script, at int) (x trace.Explanation, ok bool)
}

// known is the box that tells of a word and of the probes of its clause.
type known struct {
	reading
	id    int // of the question that the facts answer
	facts []fact
}

func (*known) title(*Model) string      { return "The word and its clause" }
func (b *known) body(m *Model) []string { return m.drawFacts(b.facts, &b.reading) }

func (b *known) count(m *Model) int { return len(m.laid(b.facts)) }

// knownMsg is what is known of the probes of a clause.
type knownMsg struct {
	id    int
	facts []fact
}

// noWord says why nothing can be told of where the cursor is.
func (m *Model) noWord() string {
	if from, to := m.doc().Buf.WordAt(m.doc().Sel.Head); from == to && len(m.doc().ProbesHere()) == 0 {
		return "the cursor is at no word and in no clause"
	}
	return ""
}

// mostTold is how many descriptions of a clause are told of.
const mostTold = 16

// openKnown asks what the word at the cursor means, and what is known of the probes of the
// clause that it is in, or of the description that it is on.
func (m *Model) openKnown() tea.Cmd {
	list := m.doc().ProbesHere()
	script, at := m.written(m.doc().Text()), m.doc().Sel.Head
	k := m.looks
	m.asks.told++
	m.overlay = &known{id: m.asks.told, facts: []fact{{"", "looking …", k.popDetail}}}
	id, back, parent, target := m.asks.told, m.back, m.open.ctx, m.target.PID
	return func() tea.Msg {
		ctx, cancel := patience.Limit(parent, answering)
		defer cancel()
		var facts []fact
		for _, d := range list[:min(len(list), mostTold)] {
			facts = append(facts, k.tell(ctx, back, d, target)...)
		}
		if x, can := back.(Explainer); can {
			if word, ok := x.Explain(ctx, script, at); ok && !told(facts, word) {
				facts = append(k.explained(word), facts...)
			}
		}
		if facts == nil && ctx.Err() != nil {
			facts = []fact{{"", context.Cause(ctx).Error(), k.failure}}
		} else if facts == nil {
			facts = []fact{{"", "nothing is known of this word", k.popDetail}}
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

// told reports whether facts tell of a word already, as they do where it is the description
// that the clause begins with. What is known beyond, the cost of its hook, goes to the hook.
func told(facts []fact, x trace.Explanation) bool {
	name, _, _ := strings.Cut(x.Decl, "\n")
	if !slices.ContainsFunc(facts, func(f fact) bool { return f.text == name || strings.HasSuffix(f.text, ": "+name) }) {
		return false
	}
	hook := slices.IndexFunc(facts, func(f fact) bool { return f.name == "hook" })
	for _, n := range x.Notes {
		if cost, ok := strings.CutPrefix(n, "hooked by "); ok && hook >= 0 && strings.HasPrefix(cost, facts[hook].text+": ") {
			facts[hook].text = cost
		}
	}
	return true
}

// explained returns what a word means.
func (k looks) explained(x trace.Explanation) (out []fact) {
	for i, line := range strings.Split(x.Decl, "\n") {
		out = append(out, fact{first(i, "word"), line, k.heading})
	}
	if x.Help != "" {
		out = append(out, fact{"", x.Help, k.popText})
	}
	for _, n := range x.Notes {
		out = append(out, fact{"", n, k.popDetail})
	}
	return append(out, fact{"", "", k.popText})
}

// tell returns what a description covers, and what is known of the first of its probes.
func (k looks) tell(ctx context.Context, back Backend, description string, target int) []fact {
	out := []fact{{"probe", description, k.heading}}
	if target != 0 {
		description = strings.ReplaceAll(description, "$target", strconv.Itoa(target))
	}
	list, _, err := back.Probes(ctx, description)
	if err != nil {
		return append(out, fact{"", patience.Told(ctx, err).Error(), k.failure})
	}
	if len(list) == 0 {
		return append(out, fact{"", "no probe", k.failure})
	}
	if p := list[0]; len(list) > 1 || p.String() != description {
		out = append(out, fact{"", fmt.Sprintf("covers %s: %s", widget.Count(len(list), "probe"), p), k.popText})
	}
	info, err := back.Describe(ctx, list[0])
	if err != nil {
		return append(out, fact{"", patience.Told(ctx, err).Error(), k.failure})
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
