package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/near"
	"dscope.dev/ui/keymap"
)

// A binding is what a leaf says of the keys of an action.
type binding struct {
	leaf
	context, action string // context "" is every one that has it
	keys            []string
}

// bind changes the keys. What would make a key mean two things is left out, one binding
// after the other, until nothing does.
func (c *Config) bind(leaves []leaf) (errs []*Error) {
	base, _ := keymap.Named(c.Keymap)
	var list []binding
	for _, l := range leaves {
		b, err := bound(base, l)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, b)
	}
	c.Keys = base
	for len(list) > 0 {
		keys, wrong := base.Rebind(rebinding(list))
		if len(wrong) == 0 {
			c.Keys = keys
			return errs
		}
		guilty := blame(list, wrong[0])
		if guilty < 0 {
			return append(errs, &Error{Key: "keys", Reason: wrong[0].Error()})
		}
		errs = append(errs, list[guilty].wrong(reason(list[guilty], wrong[0])))
		list = slices.Delete(list, guilty, guilty+1)
	}
	return errs
}

// bound reads one leaf of keys or keys-in.
func bound(m *keymap.Map, l leaf) (binding, *Error) {
	b := binding{leaf: l, action: strings.Join(l.path[1:], ".")}
	if l.path[0] == "keys-in" {
		for _, name := range m.Contexts() { // the longest that fits
			if rest, ok := strings.CutPrefix(b.action, name+"."); ok && len(name) > len(b.context) && hasAction(m.Rows(name), rest) {
				b.context = name
			}
		}
		if b.context == "" {
			e := l.wrong("there is no such context, or no such action in it")
			e.Near = nearRow(m, b.action)
			return b, e
		}
		b.action = strings.TrimPrefix(b.action, b.context+".")
	} else if actions := m.Actions(); !slices.Contains(actions, b.action) {
		e := l.wrong("no action is called so")
		for _, context := range m.Contexts() { // as [keys-in] has it
			if rest, ok := strings.CutPrefix(b.action, context+"."); ok && slices.Contains(actions, rest) {
				e.Near = rest
			}
		}
		if e.Near == "" {
			e.Near = near.Name(b.action, actions)
		}
		if e.Near == "" {
			e.Near = nearRow(m, b.action)
		}
		return b, e
	}
	switch v := l.value.(type) {
	case string:
		b.keys = strings.Fields(v)
	case []any:
		for _, key := range v {
			text, ok := key.(string)
			if !ok || len(strings.Fields(text)) != 1 {
				return b, l.wrong("keys are words such as \"ctrl+r\", not " + spell(key))
			}
			b.keys = append(b.keys, text)
		}
	default:
		return b, l.wrong("keys are words such as \"ctrl+r\", not " + spell(v))
	}
	for _, key := range b.keys {
		name := strings.TrimSuffix(strings.TrimPrefix(key, "("), ")")
		if key == "none" || len(key) == 1 {
			continue
		}
		if _, ok := keymap.ParseKey(name); !ok {
			e := l.wrong(fmt.Sprintf("no key is called %q", key))
			e.Near = nearKey(name)
			return b, e
		}
	}
	return b, nil
}

func hasAction(rows []keymap.Row, action string) bool {
	return slices.ContainsFunc(rows, func(r keymap.Row) bool { return r.Action == action })
}

// nearRow finds the action of a context that was meant.
func nearRow(m *keymap.Map, name string) string {
	var all []string
	for _, c := range m.Contexts() {
		for _, r := range m.Rows(c) {
			all = append(all, c+"."+r.Action)
		}
	}
	return near.Name(name, all)
}

// nearKey finds the name of a key that was meant: people write Control, C-x and the like.
func nearKey(name string) string {
	low := strings.ToLower(name)
	for _, swap := range [][2]string{{"control+", "ctrl+"}, {"ctl+", "ctrl+"}, {"control-", "ctrl+"}, {"ctrl-", "ctrl+"}, {"c-", "ctrl+"}, {"^", "ctrl+"},
		{"meta+", "alt+"}, {"alt-", "alt+"}, {"m-", "alt+"}, {"option+", "alt+"}, {"pageup", "pgup"}, {"pagedown", "pgdown"}, {"return", "enter"}, {"escape", "esc"}, {"del", "delete"}} {
		if rest, ok := strings.CutPrefix(low, swap[0]); ok {
			if _, ok := keymap.ParseKey(swap[1] + rest); ok {
				return swap[1] + rest
			}
		}
	}
	for _, try := range []string{low, strings.ReplaceAll(low, "-", "+")} {
		if _, ok := keymap.ParseKey(try); ok {
			return try
		}
	}
	return ""
}

// rebinding writes bindings as keymap has them: those of single contexts last.
func rebinding(list []binding) string {
	var b strings.Builder
	row := func(x binding) {
		keys := strings.Join(x.keys, " ")
		if keys == "" {
			keys = "none"
		}
		fmt.Fprintf(&b, "%s  %s\n", x.action, keys)
	}
	for _, x := range list {
		if x.context == "" {
			row(x)
		}
	}
	for _, x := range list {
		if x.context != "" {
			fmt.Fprintf(&b, "[%s]\n", x.context)
			row(x)
		}
	}
	return b.String()
}

// blame finds the binding that an error is about: the last that gives the key.
func blame(list []binding, err error) int {
	var wrong *keymap.Error
	if !errors.As(err, &wrong) {
		return -1
	}
	guilty := -1
	for i, b := range list {
		if slices.Contains(b.keys, wrong.Key) || slices.Contains(b.keys, "("+wrong.Key+")") {
			if guilty < 0 || b.action == wrong.Action || list[guilty].action != wrong.Action {
				guilty = i
			}
		}
	}
	return guilty
}

// reason says what is wrong with a key as seen from the binding that gives it.
func reason(b binding, err error) string {
	var wrong *keymap.Error
	errors.As(err, &wrong)
	if wrong.Action == b.action {
		return fmt.Sprintf("%s in [%s]: %s", wrong.Key, wrong.Context, wrong.Reason)
	}
	return fmt.Sprintf("%s asks for %s in [%s] already", wrong.Key, wrong.Action, wrong.Context)
}
