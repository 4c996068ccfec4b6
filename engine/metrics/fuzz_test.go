package metrics

import (
	"regexp"
	"testing"
	"unicode/utf8"
)

// FuzzNames makes names and labels of anything a script or a process may have.
func FuzzNames(f *testing.F) {
	f.Add("args[0]->fd", "\x0a\x09\x08\x03\x12\x05stale")
	f.Add("__9\x00é", "\x0a\xff")
	name := regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*)?$`)
	f.Fuzz(func(t *testing.T, text, answer string) {
		if got := nameOf(text); !name.MatchString(got) {
			t.Errorf("nameOf(%q) = %q", text, got)
		}
		if got := labelText(text); !utf8.ValidString(got) || len(got) > longest {
			t.Errorf("labelText(%q) = %q", text, got)
		}
		rejected([]byte(answer)) // of any server
	})
}
