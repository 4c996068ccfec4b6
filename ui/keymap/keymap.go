// Package keymap says which key asks for what.
//
// An action is something that a person can ask for, by a name: run.start, live.heat. A
// context is where keys hold: a pane, a list, a box over the panes. A map gives each
// context its rows: actions with their keys. All that is known of a key is in the one
// text default.keys; panes know only how their actions are done (widget.Table) and are
// handed the map as they are handed a theme. Whoever writes a key into a sentence asks
// the map for it, so that keys of one's own are told rightly everywhere.
//
// A map never changes. One with other keys is made by Rebind from a text in the same
// form. Check is what such a text has to pass: it tells every key that would mean two
// things at once.
package keymap

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Row is an action in a context.
type Row struct {
	Context, Action string
	Keys            []string // as people write them: ctrl+r; the first is the one that is told
	Hint            string   // one or two words for the bottom line; "" keeps it out of there
	Help            string   // what it does

	gives []string // of Keys, those that give way where the action is not to be had
}

// A context is where keys hold.
type context struct {
	name  string
	with  []string // those that hold at the same time
	typed bool     // letters are text here
	modal bool     // they are where a mode says so: package vim
	rows  []Row
	keys  map[string]string // the action of each key
}

// A Map is a table of keys.
type Map struct {
	contexts []*context
	told     func(context, action string) // of each action that a key asks for; nil but in tests
}

// Told returns the map with somebody who is told of each action that a key asks for, so
// that a test can say which were never tried.
func (m *Map) Told(told func(context, action string)) *Map { return &Map{m.contexts, told} }

//go:embed default.keys
var text string

// standard is made when it is first asked for: most programs of dscope have no screen.
var standard = sync.OnceValue(func() *Map {
	m := &Map{}
	if errs := m.read(text, m.add); errs != nil {
		panic(errs[0])
	}
	return m
})

// Default returns the keys as they come.
func Default() *Map { return standard() }

// Rebind returns the map after the changes of a text: rows of actions and their keys, or
// none. Under a heading they change one context, before the first all
// that have the action. All that is wrong is returned, with places in the text where
// they are known; the map is of use only if nothing is.
func (m *Map) Rebind(text string) (*Map, []error) {
	changed := &Map{}
	for _, c := range m.contexts {
		d := *c
		d.rows = slices.Clone(c.rows)
		changed.contexts = append(changed.contexts, &d)
	}
	errs := changed.read(text, changed.change)
	return changed, append(errs, changed.Check()...)
}

var gaps = regexp.MustCompile(`\s{2,}|\t`)

// read hands the rows of a text over one by one, then notes which key asks for what.
func (m *Map) read(text string, take func(c *context, heading string, row Row) error) (errs []error) {
	var c *context
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var err error
		if strings.HasPrefix(line, "[") {
			name, rest, _ := strings.Cut(line[1:], "]")
			if c = m.context(name); c == nil {
				c = &context{name: name}
			}
			err = take(c, rest, Row{})
		} else {
			err = take(c, "", row(line))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n+1, err))
		}
	}
	for _, c := range m.contexts {
		c.keys = map[string]string{}
		for _, r := range c.rows {
			for _, key := range r.Keys {
				if c.keys[key] == "" {
					c.keys[key] = r.Action
				}
			}
		}
	}
	return errs
}

// row reads action, keys, hint and help.
func row(line string) Row {
	columns := append(gaps.Split(line, 4), "", "", "")
	r := Row{Action: columns[0], Help: columns[3]}
	for _, key := range strings.Fields(columns[1]) {
		if inner, ok := strings.CutPrefix(key, "("); ok && len(key) > 1 {
			key = strings.TrimSuffix(inner, ")")
			r.gives = append(r.gives, key)
		}
		if key != "none" {
			r.Keys = append(r.Keys, key)
		}
	}
	if columns[2] != "-" {
		r.Hint = columns[2]
	}
	return r
}

// add takes a context or a row of the text that says everything.
func (m *Map) add(c *context, heading string, r Row) error {
	if r.Action == "" {
		for _, word := range strings.Fields(heading) {
			switch word {
			case "with":
			case "typed":
				c.typed = true
			default:
				c.with = append(c.with, word)
			}
		}
		m.contexts = append(m.contexts, c)
		return nil
	}
	r.Context = c.name
	if r.Help == "" {
		first, ok := m.find(r.Action)
		if !ok {
			return fmt.Errorf("%s has no sentence of help", r.Action)
		}
		r.Help = first.Help
	}
	c.rows = append(c.rows, r)
	return nil
}

// change takes a row of a text that says only what is different.
func (m *Map) change(c *context, heading string, r Row) error {
	if r.Action == "" {
		if m.context(c.name) == nil {
			return fmt.Errorf("no keys hold in [%s]", c.name)
		}
		c.modal = c.modal || strings.TrimSpace(heading) == "modal"
		return nil
	}
	in := m.contexts
	if c != nil {
		in = []*context{c}
	}
	found := false
	for _, c := range in {
		for i := range c.rows {
			if c.rows[i].Action == r.Action {
				c.rows[i].Keys, c.rows[i].gives, found = r.Keys, r.gives, true
			}
		}
	}
	if !found {
		return fmt.Errorf("no action is called %s here", r.Action)
	}
	return nil
}

// Modal reports whether letters are text in a context only where a mode says so.
func (m *Map) Modal(context string) bool {
	c := m.context(context)
	return c != nil && c.modal
}

func (m *Map) context(name string) *context {
	for _, c := range m.contexts {
		if c.name == name {
			return c
		}
	}
	return nil
}

// find returns the first row of an action that has keys, else the first.
func (m *Map) find(action string) (first Row, ok bool) {
	for _, c := range m.contexts {
		for _, r := range c.rows {
			if r.Action == action && (!ok || len(first.Keys) == 0) {
				first, ok = r, true
			}
		}
	}
	return first, ok
}

// Rows returns what can be asked for in a context.
func (m *Map) Rows(context string) []Row {
	if c := m.context(context); c != nil {
		return c.rows
	}
	return nil
}

// Action returns what a key asks for in a context; "" is nothing.
func (m *Map) Action(context, key string) string {
	c := m.context(context)
	if c == nil {
		return ""
	}
	action := c.keys[key]
	if m.told != nil && action != "" {
		m.told(context, action)
	}
	return action
}

// Key returns the key that asks for an action, for a sentence; the name of the action,
// by which the list of commands finds it, if there is none.
func (m *Map) Key(action string) string {
	r, _ := m.find(action)
	return r.key(action)
}

// KeyIn returns the key that asks for an action in a context, as Key does.
func (m *Map) KeyIn(context, action string) string {
	for _, r := range m.Rows(context) {
		if r.Action == action {
			return r.key(action)
		}
	}
	return action
}

func (r *Row) key(action string) string {
	if len(r.Keys) == 0 {
		return action
	}
	return pressed(r.Keys[0])
}

// Contexts returns the names of all contexts.
func (m *Map) Contexts() []string {
	var out []string
	for _, c := range m.contexts {
		out = append(out, c.name)
	}
	return out
}

// Spelled returns the keys of a row as a text for Rebind has them: those that give way in
// brackets.
func (r *Row) Spelled() []string {
	var out []string
	for _, key := range r.Keys {
		if slices.Contains(r.gives, key) {
			key = "(" + key + ")"
		}
		out = append(out, key)
	}
	return out
}

// Actions returns the names of all actions, each once, in the order of the map.
func (m *Map) Actions() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range m.contexts {
		for _, r := range c.rows {
			if !seen[r.Action] {
				seen[r.Action] = true
				out = append(out, r.Action)
			}
		}
	}
	return out
}
