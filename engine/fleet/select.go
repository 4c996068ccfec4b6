package fleet

import (
	"fmt"
	"path"
	"strings"
)

// A Selector says which hosts are meant: names as globs, and labels.
//
//	web-*                 by name
//	web-*,db-1            one of several names
//	role=db,zone!=b       by labels, each of which has to hold; * is any value
//	web-*,canary=yes      by name and label
type Selector struct {
	names  []string
	labels []label
}

type label struct {
	name, value string
	not         bool
}

// ParseSelector reads a selector.
func ParseSelector(text string) (s Selector, err error) {
	for _, term := range strings.Split(text, ",") {
		term = strings.TrimSpace(term)
		glob := term
		if name, value, ok := strings.Cut(term, "="); ok {
			bare, not := strings.CutSuffix(name, "!")
			if bare == "" {
				return s, fmt.Errorf("%q: a label has a name, as in role=db", text)
			}
			s.labels = append(s.labels, label{bare, value, not})
			glob = value
		} else {
			s.names = append(s.names, term)
		}
		if term == "" {
			return s, fmt.Errorf("%q: a part of it is empty; '*' is all hosts", text)
		}
		if _, err := path.Match(glob, ""); err != nil {
			return s, fmt.Errorf("%q: %s is no pattern", text, glob)
		}
	}
	return s, nil
}

// Match reports whether a host is meant.
func (s Selector) Match(c *Card) bool {
	for _, l := range s.labels {
		value, has := c.Labels[l.name]
		if (has && matches(l.value, value)) == l.not {
			return false
		}
	}
	for _, n := range s.names {
		if matches(n, c.Name) {
			return true
		}
	}
	return len(s.names) == 0
}

// matches is path.Match without its special meaning of slashes, which values may have.
func matches(glob, text string) bool {
	ok, err := path.Match(strings.ReplaceAll(glob, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
	return ok && err == nil
}
