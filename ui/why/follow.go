package why

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/question"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/widget"
)

// An example leads on: its thread to what it waits for and who wakes it, which is a ready
// question about that thread; a descriptor to its file, and an address to what lies there,
// which whoever knows the machine is asked with a LookMsg.

// Messages about where numbers of an example lead.
type (
	// LookMsg asks where leads lead now. The answer is a FoundMsg of its number.
	LookMsg struct {
		ID    int
		Leads []trace.Lead
	}
	// FoundMsg says it, of each lead.
	FoundMsg struct {
		ID int
		To []Found
	}
	// Found is where a lead leads; Text is "" if that is nothing known.
	Found struct {
		Text string
		Err  error
	}
)

// A trail is the example that is followed, and where its numbers lead.
type trail struct {
	id    int // of the LookMsg
	of    *trace.Example
	leads []lead
	to    []Found // nil until the answer has come
}

// A lead is a number of an example.
type lead struct {
	trace.Lead
	name string // of the dimension
	then string // what it led to when the probe fired; "" if that was not recorded
}

// An asking is a question about a thread or a process of an example.
type asking struct {
	question.Question
	id int
}

// follow opens what the example leads to.
func (m *Model) follow() tea.Cmd {
	e := m.shown()
	m.trail = trail{id: m.trail.id + 1, of: e, leads: m.leads(e)}
	m.push(m.followPage())
	m.page().first()
	if m.recorded != "" || len(m.trail.leads) == 0 {
		return nil
	}
	look := LookMsg{ID: m.trail.id}
	for _, l := range m.trail.leads {
		look.Leads = append(look.Leads, l.Lead)
	}
	return func() tea.Msg { return look }
}

// shown returns the example that is shown, or that the cursor is on; nil if there is none.
func (m *Model) shown() *trace.Example {
	if len(m.pages) == 0 {
		return nil
	}
	p := m.page()
	if p.kind == examplesPage && p.row < len(p.lines) && p.lines[p.row].example >= 0 {
		return m.q.Inside[p.lines[p.row].example]
	}
	return p.of
}

// noFollow says why there is nothing to follow.
func (m *Model) noFollow() string {
	switch {
	case len(m.pages) > 0 && m.page().kind == followPage:
		return "this is what it leads to"
	case m.shown() == nil:
		return "go to an example to follow it"
	}
	return ""
}

// found takes the answer.
func (m *Model) found(msg FoundMsg) {
	if msg.ID != m.trail.id || len(msg.To) != len(m.trail.leads) {
		return
	}
	m.trail.to = msg.To
	for i := range m.pages {
		if p := &m.pages[i]; p.kind == followPage {
			next := m.followPage()
			next.row, next.top = p.row, p.top
			*p = next
		}
	}
}

// followPage lists what the example leads to.
func (m *Model) followPage() page {
	p := page{kind: followPage, title: "Follow an example of " + m.of.String(), of: m.trail.of}
	add := func(l line) { p.lines = append(p.lines, l) }
	add(plainLine(asHeading, "what it waits for"))
	asked := 0
	for _, by := range []struct{ expr, question, word string }{{"tid", "thread-waits", "thread"}, {"pid", "process-waits", "process"}} {
		id, err := strconv.Atoi(m.fact(p.of, by.expr))
		if q, ok := question.Named(by.question); ok && err == nil && id > 0 {
			look := asText
			if m.recorded != "" {
				look = asMuted
			}
			add(line{look: look, text: fmt.Sprintf("%s %d: %s", by.word, id, q.Title), example: -1, ask: &asking{q, id}})
			asked++
		}
	}
	switch {
	case asked == 0:
		add(plainLine(asWarning, "which thread fired is not known, or it is none that can be asked about: the CPU was idle, or it is outside of this container"))
	case m.recorded != "":
		add(plainLine(asWarning, m.recorded))
	}
	add(plainLine(asText, ""))
	add(plainLine(asHeading, "where its numbers lead"))
	n := len(p.lines)
	for i := range m.trail.leads {
		if name, text := m.leadText(i); text != "" {
			add(line{name: name, text: text, example: -1})
		}
	}
	if len(p.lines) == n {
		add(plainLine(asMuted, "none that is known is a descriptor, or an address in something that has a name"))
	}
	return p
}

// leads returns the numbers of an example that may be descriptors or addresses.
func (m *Model) leads(e *trace.Example) (out []lead) {
	pid, err := strconv.Atoi(m.fact(e, "pid"))
	if err != nil || pid < 0 {
		return nil
	}
	seen := map[uint64]bool{} // a descriptor is there twice: by its name, and as an argument
	for i, d := range m.dims(e) {
		v := e.Facts[i]
		if v.Kind != trace.IntValue && v.Kind != trace.UintValue || seen[uint64(v.Int)] {
			continue
		}
		l := lead{Lead: trace.Lead{N: uint64(v.Int), PID: pid, At: e.Time}, name: widget.Safe(d.Name)}
		switch {
		case isDescriptor(d.Name) && v.Int >= 0 && e.Probe.Provider == "syscall":
			l.Kind = trace.DescriptorLead
			if d.Name == "descriptor" {
				l.then = m.recordedFile(e)
			}
		case isAddress(d, v):
			l.Kind = trace.AddressLead
		default:
			continue
		}
		seen[l.N] = true
		out = append(out, l)
	}
	return out
}

// isDescriptor reports whether an argument of a system call is one of an open file, by what
// Linux calls them.
func isDescriptor(name string) bool {
	return name == "descriptor" || slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return r == '_' }), "fd") || strings.HasSuffix(name, "fd")
}

// lowest are the least addresses that programs are loaded at, as arguments that have no type
// tell them, and as numbers tell them that mostly are something else.
const (
	lowestRaw   = 1 << 16
	lowestTyped = 1 << 32
)

// isAddress reports whether a number may be an address.
func isAddress(d trace.Dimension, v trace.Value) bool {
	raw := strings.HasPrefix(d.Expr, "arg") && !strings.HasPrefix(d.Expr, "args")
	return uint64(v.Int) >= lowestTyped || raw && v.Int >= lowestRaw
}

// recordedFile returns the file that the example has with its descriptor.
func (m *Model) recordedFile(e *trace.Example) string {
	for i, d := range m.dims(e) {
		if v := e.Facts[i]; d.Name == "file" && v.Kind == trace.StringValue {
			return datum.Text(v)
		}
	}
	return ""
}

// leadText says where a lead leads; "" if it leads nowhere, or that is not known yet.
func (m *Model) leadText(i int) (name, text string) {
	l := &m.trail.leads[i]
	if l.Kind == trace.AddressLead {
		at := fmt.Sprintf("%#x", l.N)
		switch {
		case m.recorded != "":
			return l.name, at + "  what lies there was not recorded"
		case m.trail.to == nil:
			return l.name, at + ", looking …"
		case m.trail.to[i].Err != nil:
			return l.name, at + ", " + m.trail.to[i].Err.Error()
		case m.trail.to[i].Text == "":
			return "", ""
		}
		return l.name, at + "  " + widget.Safe(m.trail.to[i].Text)
	}
	then := "what it was when the probe fired was not recorded"
	if l.then != "" {
		then = l.then + " when the probe fired"
	}
	name = fmt.Sprintf("%s %d", l.name, l.N)
	switch {
	case m.recorded != "":
		return name, then
	case m.trail.to == nil:
		return name, then + "; looking …"
	case m.trail.to[i].Err != nil:
		return name, then + "; now " + m.trail.to[i].Err.Error()
	}
	now := widget.Safe(m.trail.to[i].Text)
	if now == l.then {
		return name, now + " when the probe fired, and now"
	}
	return name, now + " now; " + then
}

// askPage shows the script of a question about a thread, or a process.
func (m *Model) askPage(a *asking) page {
	p := page{kind: changePage, title: a.Title, text: a.About(a.id)}
	p.lines = append(p.lines, plainLine(asMuted, "It takes the place of the script."), plainLine(asText, ""))
	p.lines = append(p.lines, texts(asAdded, "+ ", p.text)...)
	return p
}
