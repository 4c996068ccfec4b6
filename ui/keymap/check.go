package keymap

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// An Error is a key that cannot mean what a map says.
type Error struct {
	Context, Action, Key string
	Reason               string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s for %s in [%s]: %s", e.Key, e.Action, e.Context, e.Reason)
}

// Check returns what is wrong with the keys of a map, each an *Error: a key that no
// terminal sends, a letter where letters are text, a key that asks for two things where
// both can be had. Contexts that lie over others, such as a list in a pane, have the
// first word on every key, so that a key may mean one thing in the list and another
// below it.
func (m *Map) Check() (errs []error) {
	for _, c := range m.contexts {
		seen := map[string]Row{}
		for _, with := range c.with {
			for _, r := range m.Rows(with) {
				for _, key := range r.Keys {
					seen[key] = r
				}
			}
		}
		for _, r := range c.rows {
			for _, key := range r.Keys {
				if reason := c.wrong(r, key, seen); reason != "" {
					errs = append(errs, &Error{c.name, r.Action, key, reason})
				}
				seen[key] = r
			}
		}
	}
	return errs
}

// wrong says why a key cannot ask for the action of r.
func (c *context) wrong(r Row, key string, seen map[string]Row) string {
	if _, ok := ParseKey(key); !ok {
		return "no key is called so"
	}
	if c.typed && (utf8.RuneCountInString(key) == 1 || key == "space") {
		return "it is text here"
	}
	before, taken := seen[key]
	switch {
	case !taken || slices.Contains(r.gives, key):
	case before.Action != r.Action:
		return fmt.Sprintf("it asks for %s in [%s] already", before.Action, before.Context)
	case before.Context == c.name:
		return "it is said twice"
	}
	return ""
}
