// Package config reads what the user has said in config.toml: looks, keys, limits, and the
// options that runs begin with.
//
// A file is a text; Parse makes plain values of it, and a list of what is wrong. Nothing
// that is wrong takes anything else with it: a setting that cannot be taken is as it comes,
// and so is a file that cannot be read at all. Each Error names file, line and key, and the
// name that was probably meant.
//
// The settings are one table (setting.go), the keys are those of package keymap, and the
// options are handed in as Known by who knows the compiler. Print writes the whole file
// from the same three, with a comment for each line, so that it cannot forget one: what
// the user has set as it is set, all else as a comment that says how it is.
package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/near"
	"dscope.dev/ui/keymap"
)

// Name is what the file is called in its folder.
const Name = "config.toml"

// MaxSize is how many bytes a file may have.
const MaxSize = 1 << 20

// A Config is what was said. Start from Default.
type Config struct {
	Theme   string // "" is the one that suits the terminal, or that was chosen last
	Keymap  string // the name of the set of keys that Keys began from
	Keys    *keymap.Map
	Colours string // auto, 24bit, 256, 16 or none
	Glyphs  string // auto, unicode or ascii
	Mouse   bool
	Session bool // what was open is opened again
	Plain   bool // lines of text in place of panes
	Tab     int  // distance of tab stops
	Layout  Layout
	Limits  Limits
	Options []string // of every run, as -x has them
}

// A Layout is how much the panes take of the screen, in percent. The rest is the output's,
// and on wide screens the script's.
type Layout struct {
	Probes, Script, Live             int
	WideProbes, WideScript, WideLive int // on screens of three columns
}

// Limits bound the memory of the workbench.
type Limits struct {
	PastMemory   int // bytes of the past of a run
	RunsMemory   int // bytes of the runs that are kept
	OutputMemory int // bytes of what runs print
	OutputLines  int
}

// Known is what a file may speak of beyond what this package knows.
type Known struct {
	Options []Option
	Try     func(name, value string) error // whether an option can have a value
}

// An Option is one that a run can have.
type Option struct {
	Name, Help string
	Usual      string // a value that it can have, for the comment
	Flag       bool
}

// Default returns what holds where nothing is said.
func Default() Config {
	c := Config{Keys: keymap.Default()}
	for i := range settings {
		if err := settings[i].set(&c, settings[i].usual); err != nil {
			panic(err) // the table is part of the program
		}
	}
	return c
}

// An Error is something in a file that was not taken.
type Error struct {
	File   string
	Line   int
	Key    string // as the file has it; "" if it is no key that is wrong
	Reason string
	Near   string // what was probably meant; "" if nothing is like it
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d: ", e.File, e.Line)
	if e.Line == 0 {
		s = e.File + ": "
	}
	if e.Key != "" {
		s += e.Key + ": "
	}
	s += e.Reason
	if e.Near != "" {
		s += "; did you mean " + e.Near + "?"
	}
	return s
}

// Parse reads the text of a file. The Config is whole whatever the text is.
func Parse(file, text string, known Known) (Config, []*Error) {
	c := Default()
	leaves, errs := read(text)
	var keys []leaf
	for _, l := range leaves {
		var err *Error
		switch l.path[0] {
		case "keys", "keys-in":
			if len(l.path) > 1 {
				keys = append(keys, l)
			} else {
				err = l.wrong("it is a table: [" + l.path[0] + "]")
			}
		case "options":
			err = c.option(l, known)
		default:
			err = c.setting(l)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, c.bind(keys)...)
	for _, e := range errs {
		e.File = file
	}
	slices.SortStableFunc(errs, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	return c, errs
}

// setting takes one of the table.
func (c *Config) setting(l leaf) *Error {
	name := strings.Join(l.path, ".")
	var names []string
	for i := range settings {
		s := &settings[i]
		if s.key() == name {
			if err := s.set(c, l.value); err != nil {
				e := l.wrong(err.Error())
				if text, ok := l.value.(string); ok && s.words != nil {
					e.Near = near.Name(text, s.words())
				}
				return e
			}
			return nil
		}
		names = append(names, s.key())
	}
	e := l.wrong("there is no such setting")
	e.Near = near.Name(name, append(names, "keys", "keys-in", "options"))
	if e.Near == "" { // it may stand in the wrong table
		for _, other := range names {
			if _, last, ok := strings.Cut(other, "."); ok && last == l.path[len(l.path)-1] {
				e.Near = other
			}
		}
	}
	return e
}

// option takes an option of runs.
func (c *Config) option(l leaf, known Known) *Error {
	if len(l.path) < 2 {
		return l.wrong("it is a table: [options]")
	}
	name := strings.Join(l.path[1:], ".")
	at := slices.IndexFunc(known.Options, func(o Option) bool { return o.Name == name })
	if at < 0 {
		var names []string
		for _, o := range known.Options {
			names = append(names, o.Name)
		}
		e := l.wrong("no option is called so")
		e.Near = near.Name(name, names)
		return e
	}
	value, ok := scalar(l.value)
	if !ok {
		return l.wrong("an option takes a word, a number, or true and false")
	}
	if known.Options[at].Flag && value == "true" {
		c.Options = append(c.Options, name)
		return nil
	}
	if err := known.Try(name, value); err != nil {
		return l.wrong(err.Error())
	}
	c.Options = append(c.Options, name+"="+value)
	return nil
}

// scalar returns a value as -x has it.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64, bool, float64:
		return fmt.Sprint(v), true
	}
	return "", false
}
