package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/question"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/patience"
)

// ready is what is known of whether questions can be asked here. One is checked at a time,
// those that were found first, and only while the list of them is open.
type ready struct {
	target int               // for which this is known
	why    map[string]string // by name: why it cannot be asked; "" if it can
	busy   bool
}

// readyMsg is what a check of a question has found.
type readyMsg struct {
	name   string
	target int
	why    string
}

// askedMsg says that the script of a question is in the editor, and is to be run.
type askedMsg struct{}

// cannot says why a question cannot be asked now; known is false while that is being found out.
func (m *Model) cannot(q *question.Question) (why string, known bool) {
	if q.Target() && m.target.PID == 0 {
		return "it asks about " + one(q) + ": " + m.keys.KeyIn("probes", "probes.process") + " in the probes chooses it, " +
			m.keys.KeyIn("probes", "probes.target") + " makes it $target", true
	}
	if m.asks.ready.target != m.target.PID {
		return "", false
	}
	why, known = m.asks.ready.why[q.Name]
	return why, known
}

// one says what a question asks about.
func one(q *question.Question) string {
	if q.Thread {
		return "the first thread of a process"
	}
	return "one process"
}

// checkReady has the first question of the list checked of which nothing is known.
func (m *Model) checkReady() tea.Cmd {
	p := opened[*palette](m)
	if p == nil || m.asks.ready.busy {
		return nil
	}
	for i := range p.found {
		q := &p.found[i]
		if _, known := m.cannot(q); known {
			continue
		}
		m.asks.ready.busy = true
		back, parent, name, script := m.back, m.open.ctx, q.Name, m.script(q.Text)
		return func() tea.Msg {
			ctx, cancel := patience.Limit(parent, answering)
			defer cancel()
			why := ""
			if list := back.Check(ctx, script); list.Failed() && ctx.Err() == nil { // else nothing is known against it
				why = list[0].Msg
			}
			return readyMsg{name, script.Target, why}
		}
	}
	return nil
}

// gotReady takes what is known of a question, and has the next one checked.
func (m *Model) gotReady(msg readyMsg) tea.Cmd {
	r := &m.asks.ready
	r.busy = false
	if r.why == nil || r.target != msg.target {
		r.target, r.why = msg.target, map[string]string{}
	}
	r.why[msg.name] = msg.why
	return m.checkReady()
}

// openQuestion puts the script of a question into the editor, which asks first if that
// loses anything.
func (m *Model) openQuestion(q *question.Question, run bool) tea.Cmd {
	m.setFocus(editorSlot)
	var done tea.Msg
	if run {
		done = askedMsg{}
	}
	return m.editor.New(q.Text, done)
}

// runQuestion opens the question under the bar, and runs it.
func (m *Model) runQuestion() tea.Cmd {
	q := m.underBar().question
	m.closeOverlay()
	return m.openQuestion(q, true)
}

// noQuestion says why what is under the bar cannot be run.
func (m *Model) noQuestion() string {
	q := m.underBar().question
	if q == nil {
		return "this is no question: " + m.keys.KeyIn("palette", "list.take") + " does what it says"
	}
	why, _ := m.cannot(q)
	return why
}

// aboutQuestion returns what is told of a question below the list: what it costs and where
// it attaches, or why it cannot be asked.
func (m *Model) aboutQuestion(q *question.Question) []string {
	told := []string{"cost " + q.Cost.String() + ": " + q.Why, "attaches " + q.Attaches}
	switch why, known := m.cannot(q); {
	case why != "":
		return append([]string{why}, told...)
	case !known:
		return append(told, "whether it can be asked here is being found out")
	}
	return append(told, "can be asked here")
}

// words breaks a text into lines of up to w cells.
func words(text string, w int) []string {
	var out []string
	line := ""
	for _, f := range strings.Fields(text) {
		if line != "" && ink.Width(line)+1+ink.Width(f) > w {
			out = append(out, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+f, " ")
	}
	return append(out, line)
}
