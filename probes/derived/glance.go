package derived

import (
	"bytes"
	"slices"
)

// What can be told of a text without reading it. The words of texts are set as the
// package comment shows them, which a test holds.

// opening begins the declaration of a probe.
const opening = "\tprobe "

// declared returns the names of the probes of a text, in order.
func declared(text []byte) []string {
	var names []string
	for {
		_, rest, found := bytes.Cut(text, []byte(opening))
		if !found {
			slices.Sort(names)
			return names
		}
		name, _, _ := bytes.Cut(rest, []byte{'('})
		names, text = append(names, string(name)), rest
	}
}

// heading returns what the comment before the provider says.
func heading(text []byte) string {
	_, rest, _ := bytes.Cut(text, []byte("/*"))
	comment, _, _ := bytes.Cut(rest, []byte("*/"))
	return blurb(string(comment))
}
