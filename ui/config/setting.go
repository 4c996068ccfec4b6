package config

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/option"
	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
)

// A setting is a key of the file, beside those of keys and options.
type setting struct {
	section, name, help string
	usual               any
	words               func() []string // that it can be; nil if it is no choice
	set                 func(c *Config, v any) error
}

func (s *setting) key() string {
	if s.section == "" {
		return s.name
	}
	return s.section + "." + s.name
}

// settings is every setting, in the order of the file: sections stand together.
var settings = []setting{
	choice("", "theme", "the looks; \"\" is the one chosen last with theme.next, or else the one that suits the terminal", "",
		func() []string { return append([]string{""}, themes.Names()...) }, func(c *Config) *string { return &c.Theme }),
	choice("", "keymap", "the set of keys that [keys] changes; with vim the script has modes", "default", keymap.Names, func(c *Config) *string { return &c.Keymap }),
	choice("", "colours", "how many colours the terminal has: auto finds out", "auto",
		words("auto", "24bit", "256", "16", "none"), func(c *Config) *string { return &c.Colours }),
	choice("", "glyphs", "what lines and charts are drawn with: auto is ascii where the locale has no UTF-8, and on the Linux console", "auto",
		words("auto", "unicode", "ascii"), func(c *Config) *string { return &c.Glyphs }),
	flag("", "mouse", "the mouse belongs to dscope at first; mouse.toggle gives it back", true, func(c *Config) *bool { return &c.Mouse }),
	flag("", "session", "dscope without a file opens what was open last", true, func(c *Config) *bool { return &c.Session }),
	flag("", "plain", "lines of text in place of panes, as --plain has it, for screen readers", false, func(c *Config) *bool { return &c.Plain }),
	number("", "tab", "distance of tab stops in the script", 8, 1, 16, func(c *Config) *int { return &c.Tab }),

	number("layout", "probes", "percent of the width that the probes take", 27, 5, 90, func(c *Config) *int { return &c.Layout.Probes }),
	number("layout", "script", "percent of the height that the script takes", 36, 5, 90, func(c *Config) *int { return &c.Layout.Script }),
	number("layout", "live", "percent of the height that the live pane takes; the output has the rest", 36, 5, 90, func(c *Config) *int { return &c.Layout.Live }),
	number("layout", "wide-probes", "the same from 150 columns on: percent of the width", 27, 5, 90, func(c *Config) *int { return &c.Layout.WideProbes }),
	number("layout", "wide-script", "percent of the height; the output has the rest", 56, 5, 90, func(c *Config) *int { return &c.Layout.WideScript }),
	number("layout", "wide-live", "percent of the width", 42, 5, 90, func(c *Config) *int { return &c.Layout.WideLive }),

	size("limits", "past-memory", "what the past of a run may take; older moments are kept more rarely", "32m", 1<<20, func(c *Config) *int { return &c.Limits.PastMemory }),
	size("limits", "runs-memory", "what all runs before may take together", "128m", 1<<20, func(c *Config) *int { return &c.Limits.RunsMemory }),
	size("limits", "output-memory", "what is kept of what runs print", "32m", 64<<10, func(c *Config) *int { return &c.Limits.OutputMemory }),
	number("limits", "output-lines", "and how many lines of it", 65536, 100, 10_000_000, func(c *Config) *int { return &c.Limits.OutputLines }),
	share("limits", "airbag", "a run that takes more than this of all CPUs for some seconds is detached; off is never", "20%"),
	share("limits", "estimate", "a wide script that would take more than this of all CPUs is asked about first; off asks for nothing", "10%"),
}

func words(list ...string) func() []string { return func() []string { return list } }

func choice(section, name, help, usual string, list func() []string, at func(*Config) *string) setting {
	return setting{section, name, help, usual, list, func(c *Config, v any) error {
		word, ok := v.(string)
		if !ok || !slices.Contains(list(), word) {
			var names []string
			for _, w := range list() {
				names = append(names, fmt.Sprintf("%q", w))
			}
			return fmt.Errorf("it is one of %s, not %s", strings.Join(names, ", "), spell(v))
		}
		*at(c) = word
		return nil
	}}
}

func flag(section, name, help string, usual bool, at func(*Config) *bool) setting {
	return setting{section, name, help, usual, nil, func(c *Config, v any) error {
		on, ok := v.(bool)
		if !ok {
			return fmt.Errorf("it is true or false, not %s", spell(v))
		}
		*at(c) = on
		return nil
	}}
}

func number(section, name, help string, usual, least, most int64, at func(*Config) *int) setting {
	return setting{section, name, help, usual, nil, func(c *Config, v any) error {
		n, ok := v.(int64)
		if !ok || n < least || n > most {
			return fmt.Errorf("it is a number from %d to %d, not %s", least, most, spell(v))
		}
		*at(c) = int(n)
		return nil
	}}
}

func size(section, name, help, usual string, least int64, at func(*Config) *int) setting {
	return setting{section, name, help, usual, nil, func(c *Config, v any) error {
		text, ok := scalar(v)
		n, err := option.Size(text)
		if !ok || err != nil || n < least || n > 1<<40 {
			return fmt.Errorf("it is a size from %d bytes on, such as \"64m\", not %s", least, spell(v))
		}
		*at(c) = int(n)
		return nil
	}}
}

// share is an option of runs that is a limit too.
func share(section, name, help, usual string) setting {
	return setting{section, name, help, usual, nil, func(c *Config, v any) error {
		text, ok := v.(string)
		if _, err := option.Share(text); !ok || err != nil {
			return fmt.Errorf("it is a share of all CPUs such as \"10%%\", or \"off\", not %s", spell(v))
		}
		if text != usual { // which the workbench has by itself
			c.Options = append(c.Options, name+"="+text)
		}
		return nil
	}}
}
