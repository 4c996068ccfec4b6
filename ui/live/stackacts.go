package live

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/widget"
)

// stackActs are what keys do in an icicle or a tree, before those of the pane.
var stackActs = widget.Table[Model]{Context: "live.stacks", Acts: []widget.Act[Model]{
	{Name: "stacks.up", Do: onStacks((*Model).stackUp)},
	{Name: "stacks.down", Do: onStacks((*Model).stackDown)},
	{Name: "stacks.left", Do: onStacks((*Model).stackLeft)},
	{Name: "stacks.right", Do: onStacks((*Model).stackRight)},
	{Name: "stacks.zoom", Off: func(m *Model) string { return m.flaming().NoZoom() }, Do: onStacks(func(_ *Model, f *stacks) { f.Zoom() })},
	{Name: "stacks.out", Off: func(m *Model) string { return m.flaming().noOut() }, Do: onStacks(func(_ *Model, f *stacks) { f.out() })},
	{Name: "stacks.find", Do: onStacks(func(_ *Model, f *stacks) { f.find.begin() })},
	{Name: "stacks.next", Off: func(m *Model) string { return m.flaming().find.none() }, Do: onStacks(func(_ *Model, f *stacks) { f.toNext() })},
	{Name: "stacks.keys", Off: (*Model).noOtherKeys, Do: onStacks(func(_ *Model, f *stacks) { f.bare = !f.bare; f.Reset() })},
	{Name: "stacks.pageup", Do: func(m *Model) tea.Cmd { return m.move(-m.page()) }},
	{Name: "stacks.pagedown", Do: func(m *Model) tea.Cmd { return m.move(+m.page()) }},
	{Name: "stacks.first", Do: func(m *Model) tea.Cmd { return m.move(-1 << 30) }},
	{Name: "stacks.last", Do: func(m *Model) tea.Cmd { return m.move(+1 << 30) }},
	{Name: "stacks.copy", Do: (*Model).copyStack},
}}

func onStacks(do func(*Model, *stacks)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		do(m, m.flaming())
		return nil
	}
}

// noOtherKeys says why there are no keys to show as levels or to leave out.
func (m *Model) noOtherKeys() string {
	if _, v := m.current(); !otherKeys(v) {
		return "the stacks are all that the aggregation is keyed by"
	}
	return ""
}

// act returns what a key asks for.
func (m *Model) act(msg tea.KeyMsg) *widget.Act[Model] {
	if m.flaming() != nil {
		if a := stackActs.Find(m.keys, msg); a != nil {
			return a
		}
	}
	return acts.Find(m.keys, msg)
}

// named returns an action, as the list of commands asks for it.
func (m *Model) named(action string) *widget.Act[Model] {
	if t, typing := m.typingActs(); typing {
		return t.Named(action)
	}
	if m.flaming() != nil {
		if a := stackActs.Named(action); a != nil {
			return a
		}
	}
	return acts.Named(action)
}

// takesBack reports whether a key goes back a step within the icicle or tree.
func (m *Model) takesBack(msg tea.KeyMsg) bool {
	f := m.flaming()
	if f == nil {
		return false
	}
	a := stackActs.Find(m.keys, msg)
	return a != nil && a.Name == "stacks.out" && f.noOut() == ""
}

// typingActs returns what keys do while a text is typed.
func (m *Model) typingActs() (t widget.Table[Model], typing bool) {
	if m.prompt != nil {
		return filterActs, true
	}
	return findActs, m.finding()
}

// Keys returns the help of the pane's keys.
func (m *Model) Keys() []widget.Help {
	if t, typing := m.typingActs(); typing {
		return t.Helps(m, m.keys)
	}
	out := acts.Helps(m, m.keys)
	if m.flaming() == nil {
		return out
	}
	first := stackActs.Helps(m, m.keys)
	for _, h := range out {
		if h.Action == "live.stacks" { // the way on stands first
			first = append([]widget.Help{h}, first...)
			continue
		}
		if len(h.On) > 0 && m.keys.Action(stackActs.Context, h.On[0]) != "" {
			h.On = nil // it means something else here
		}
		if len(h.On) > 0 {
			first = append(first, h)
		}
	}
	return first
}

// StackKeys returns the help of icicle and tree while neither is shown.
func (m *Model) StackKeys() []widget.Help {
	if m.flaming() != nil {
		return nil
	}
	var out []widget.Help
	for _, r := range m.keys.Rows(stackActs.Context) {
		out = append(out, widget.Help{Action: r.Action, On: r.Keys, Text: r.Help, Hint: r.Hint})
	}
	return out
}
