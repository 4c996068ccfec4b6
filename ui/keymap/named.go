package keymap

import (
	"embed"
	"path"
	"strings"
)

// sets are the changes that make another set of keys of the one that comes first.
//
//go:embed sets/*.keys
var sets embed.FS

// DefaultName is what the set of keys is called that nothing has to be said for.
const DefaultName = "default"

// Names returns the names of all sets of keys.
func Names() []string {
	names := []string{DefaultName}
	entries, _ := sets.ReadDir("sets") // part of the program
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".keys"))
	}
	return names
}

// Named returns a set of keys; ok is false if none is called so, and the map is the usual.
func Named(name string) (m *Map, ok bool) {
	if name == DefaultName {
		return Default(), true
	}
	text, err := sets.ReadFile(path.Join("sets", name+".keys"))
	if err != nil {
		return Default(), false
	}
	m, errs := Default().Rebind(string(text))
	if errs != nil {
		panic(errs[0]) // a test reads them all
	}
	return m, true
}
