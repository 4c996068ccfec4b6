package ui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/browser"
	"dscope.dev/ui/editor"
)

// processesOf returns what a backend can tell of processes, nil if that is nothing: that
// of a recorded run does not know what runs.
func processesOf(b Backend) browser.Processes {
	p, _ := b.(browser.Processes)
	return p
}

// script returns what is asked of the backend about a text.
func (m *Model) script(text string) trace.Script {
	return trace.Script{Text: text, Target: m.target.PID, Options: slices.Clone(m.opts.Config.Options), Prints: true}
}

// written returns what is asked of the backend about the script in front.
func (m *Model) written(text string) trace.Script {
	s, call := m.script(text), m.doc().Call
	s.Args, s.Options = call.Args, append(s.Options, call.Options...)
	if call.Target != 0 {
		s.Target = call.Target
	}
	return s
}

// recheck has the script looked at again: what it is run with is another.
func (m *Model) recheck() tea.Cmd {
	return m.check(editor.ChangedMsg{Ref: m.doc().Ref(), Text: m.doc().Text()})
}

// lookAt shows a process, and makes it the script's $target.
func (m *Model) lookAt(p trace.Process) tea.Cmd {
	if p.PID == 0 || processesOf(m.back) == nil {
		return nil
	}
	return tea.Batch(m.aim(p), m.browser.Enter(p))
}

// aim makes a process the script's $target, and has the script looked at again: its
// probes may be there now, or no more.
func (m *Model) aim(p trace.Process) tea.Cmd {
	if processesOf(m.back) == nil {
		return nil
	}
	m.target = p
	m.browser.SetTarget(p)
	if p.PID == 0 {
		m.say(plain, "$target is no process any more")
	} else {
		m.say(plain, fmt.Sprintf("$target is process %d (%s)", p.PID, p.Name))
	}
	return m.recheck()
}
