package editor

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/format"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/vim"
)

// AskMsg asks the root for an action of its own, in the hands of Vim: :q, ctrl+w.
type AskMsg struct{ Action string }

// modal reports whether letters are text only where a mode says so.
func (m *Model) modal() bool { return m.keys.Modal("script") }

// cursor returns the offset at which the cursor is shown.
func (m *Model) cursor() int {
	if m.modal() {
		return m.hands.Cursor(m.doc.Sel)
	}
	return m.doc.Sel.Head
}

// modalKey gives a key to the hands of Vim, and to the pane what they have no use for. Typing is
// the pane's. What moves the cursor meanwhile begins another change.
func (m *Model) modalKey(msg tea.KeyMsg) tea.Cmd {
	h, key := &host{m: m}, keymap.KeyName(msg)
	if m.hands.Wants(key) || m.hands.Typing() {
		if sel, ok := m.hands.Key(h, m.doc.Sel, key); ok {
			m.comp.close()
			return h.settle(sel)
		}
	}
	was, ref := m.doc.Sel, m.doc.Ref()
	cmd := m.plainKey(msg)
	if m.hands.Typing() && m.doc.Ref() == ref && m.doc.Sel != was {
		m.hands.Moved(h, m.doc.Sel)
	}
	return cmd
}

// answerVim hands over what was typed into the line below the text; ok is false if it was
// given up.
func (m *Model) answerVim(ok bool) tea.Cmd {
	p, h := m.ask, &host{m: m}
	m.ask = prompt{}
	sel := m.hands.Answered(h, m.doc.Sel, p.about, p.in.Value(), ok)
	return h.settle(sel)
}

// A host is the pane as the hands have it, while they have a key.
type host struct {
	m    *Model
	cmds []tea.Cmd
	asks []func() tea.Cmd // what is to be done when the hands are
}

// settle takes over what the hands have done.
func (h *host) settle(sel text.Sel) tea.Cmd {
	m := h.m
	m.doc.Sel, m.goal = sel, -1
	m.doc.Sync()
	m.reveal()
	for _, do := range h.asks {
		h.cmds = append(h.cmds, do())
	}
	return tea.Batch(h.cmds...)
}

func (h *host) Buffer() *text.Buffer    { return h.m.doc.Buf }
func (h *host) Tab() int                { return h.m.opts.Tab }
func (h *host) Window() (top, rows int) { return h.m.top, h.m.rows() }
func (h *host) Scroll(top int)          { h.m.top = max(top, 0) }
func (h *host) Clipboard() string       { return h.m.clip }
func (h *host) Copy(s string)           { h.cmds = append(h.cmds, h.m.take(s)) }
func (h *host) Ask(label, answer string) {
	h.m.openPrompt(askVim, answer)
	h.m.ask.about = label
}
func (h *host) Say(s string)                { h.m.notice = s }
func (h *host) Keep(name rune, off int)     { h.m.doc.Keep(name, off) }
func (h *host) Place(name rune) (int, bool) { return h.m.doc.Place(name) }
func (h *host) Record(name rune)            { h.m.macros.record(name) }
func (h *host) Play(name rune, times int) {
	h.asks = append(h.asks, func() tea.Cmd { return h.m.play(name, times) })
}

// Fresh returns the indentation of a line behind another, deeper after an open brace.
func (h *host) Fresh(line int) string {
	s := h.m.doc.Buf.Line(line)
	blanks := indentOf(s)
	if s = strings.TrimRight(s, " \t"); strings.HasSuffix(s, "{") || strings.HasSuffix(s, "(") {
		blanks += "\t"
	}
	return blanks
}

// Indent gives lines the indentation that they have in the script laid out, if the layout
// breaks no line elsewhere.
func (h *host) Indent(from, to int) {
	b := h.m.doc.Buf
	if b.Size() > mostFormatted {
		return
	}
	now, list := format.Script(token.NewFile("", b.Text()))
	lines := strings.Split(now, "\n")
	if list.Failed() || len(lines) < to+1 || len(lines) != b.Lines() {
		h.Say("not indented: the script has mistakes, or lines that the layout breaks elsewhere; " +
			h.m.keys.KeyIn("script", "edit.format") + " lays all out")
		return
	}
	for n := from; n <= to; n++ {
		b.Replace(b.Start(n), b.Start(n)+len(indentOf(b.Line(n))), indentOf(lines[n]))
	}
}

// Found marks what is looked for.
func (h *host) Found(q text.Query) {
	if h.m.find.shown = q.Text() != ""; h.m.find.shown {
		h.m.find.query = q
	}
}

// Do has an action done when the hands have put away the key.
func (h *host) Do(action, argument string) {
	h.asks = append(h.asks, func() tea.Cmd { return h.m.byName(action, argument) })
}

// byName does what a command line asks for: an action of the pane, or one of the root.
func (m *Model) byName(action, argument string) tea.Cmd {
	name, force := strings.CutPrefix(argument, "!")
	name = strings.TrimSpace(name)
	switch action {
	case "file.save":
		if name != "" {
			return m.saveTo(name)
		}
	case "file.saveall":
		return m.saveAll()
	case "file.savequit":
		return m.saveQuit()
	case "file.quit":
		return m.quit(force)
	case "file.close":
		if force {
			return m.drop()
		}
	case "file.open":
		if name != "" {
			return m.Open(name)
		}
	}
	if a := acts.Named(action); a != nil {
		return m.do(a)
	}
	return func() tea.Msg { return AskMsg{action} }
}

// saveAll saves the scripts that have files.
func (m *Model) saveAll() tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range m.desk.All() {
		switch {
		case d.Unsaved() == "":
		case d.Path() == "":
			m.notice = d.Name() + " has no name yet: :w NAME gives it one"
		default:
			save, of := d.Save(d.Path()), d.Ref()
			cmds = append(cmds, func() tea.Msg { return savedMsg{of, save()} })
		}
	}
	return tea.Batch(cmds...)
}

// saveQuit saves the script, and then closes it.
func (m *Model) saveQuit() tea.Cmd {
	if m.doc.Unsaved() == "" {
		return m.quit(false)
	}
	m.leaving = m.doc
	return m.save()
}

// quit closes the script in front, and with the last one leaves the workbench. What is not
// saved is dropped by force alone.
func (m *Model) quit(force bool) tea.Cmd {
	unsaved := m.doc.Unsaved() != ""
	if unsaved && !force {
		m.notice = "not saved: :w saves it, :q! drops what was changed"
		return nil
	}
	if len(m.desk.All()) > 1 {
		return m.drop()
	}
	leave := func() tea.Msg { return AskMsg{"quit"} }
	if unsaved {
		return tea.Sequence(m.drop(), leave)
	}
	return leave
}

var _ vim.Host = (*host)(nil)
