package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/ui/keymap"
)

// Print writes the whole file: what text sets as it is set there, all else as a comment that
// says how it is.
func Print(text string, known Known) string {
	leaves, _ := read(text)
	p := printer{set: map[string]any{}}
	for _, l := range leaves {
		p.set[strings.Join(l.path, ".")] = l.value
	}
	p.line("# The configuration of dscope. What is behind a # is how things are without a word:")
	p.line("# take the # away to say something else.")
	section := ""
	for i := range settings {
		s := &settings[i]
		if s.section != section {
			section = s.section
			p.table(section, "")
		}
		p.key(s.help, s.key(), s.name, s.usual)
	}
	p.table("options", "Options that runs of the workbench begin with, as dscope trace has them behind -x; the script's\n# own come before them, and dscope trace itself does what its command line says alone. What is\n# behind a # is an example here: without a word an option is as the engine has it.")
	for _, o := range known.Options {
		p.key(o.Help, "options."+o.Name, o.Name, usualOf(o))
	}
	p.keys(p.base(text, known))
	return p.b.String()
}

func usualOf(o Option) any {
	switch {
	case o.Flag:
		return true
	case strings.Trim(o.Usual, "0123456789") == "" && o.Usual != "":
		n, _ := strconv.ParseInt(o.Usual, 10, 64)
		return n
	}
	return o.Usual
}

// A printer writes a file, and knows what is set in the one before.
type printer struct {
	b   strings.Builder
	set map[string]any // by path
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *printer) table(name, about string) {
	p.line("")
	if about != "" {
		p.line("# %s", about)
	}
	p.line("[%s]", name)
}

// key writes one key below what it is for.
func (p *printer) key(help, path, name string, usual any) {
	if help != "" {
		p.line("\n# %s", help)
	}
	if v, ok := p.set[path]; ok {
		p.line("%s = %s", name, spell(v))
		return
	}
	p.line("#%s = %s", name, spell(usual))
}

// base returns the keys that the file begins with.
func (p *printer) base(text string, known Known) *keymap.Map {
	c, _ := Parse("", text, known)
	m, _ := keymap.Named(c.Keymap)
	return m
}

// keys writes the actions: those that have the same keys wherever they are to be had once,
// the others by context.
func (p *printer) keys(m *keymap.Map) {
	rows := map[string][]keymap.Row{}
	for _, c := range m.Contexts() {
		for _, r := range m.Rows(c) {
			rows[r.Action] = append(rows[r.Action], r)
		}
	}
	same := func(action string) bool {
		all := rows[action]
		return !slices.ContainsFunc(all, func(r keymap.Row) bool { return !slices.Equal(r.Spelled(), all[0].Spelled()) })
	}
	p.table("keys", "The keys of each action, wherever it is to be had; [] is none. A key in brackets gives way where\n# its action is not to be had.")
	for _, action := range m.Actions() {
		if _, set := p.set["keys."+action]; same(action) || set {
			p.key(rows[action][0].Help, "keys."+action, action, rows[action][0].Spelled())
		}
	}
	for _, c := range m.Contexts() {
		first := true
		for _, r := range m.Rows(c) {
			path := "keys-in." + c + "." + r.Action
			if _, set := p.set[path]; same(r.Action) && !set {
				continue
			}
			if first {
				p.table("keys-in."+c, "")
				first = false
			}
			p.key(r.Help, path, r.Action, r.Spelled())
		}
	}
}

// spell writes a value as TOML has it.
func spell(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []string:
		var list []string
		for _, s := range v {
			list = append(list, quote(s))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case []any:
		var list []string
		for _, s := range v {
			list = append(list, spell(s))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case map[string]any, []map[string]any:
		return "a table"
	}
	return fmt.Sprint(v)
}

// quote writes a string: as it stands where it can be, else with escapes that TOML knows.
func quote(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }) && strings.ContainsAny(s, `"\`) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
