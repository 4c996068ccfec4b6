// Package filename completes the names of files: those that a script has in it, and those
// that a person is asked for.
package filename

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// most is how many names are offered.
const most = 200

// A Place is where a script has the name of a file, as far as it was typed.
type Place struct {
	Typed  string
	Script bool // an #include is due: a script, a header or a folder
}

var (
	included = regexp.MustCompile(`^\s*#\s*include\s*["<]([^">]*)$`)
	opened   = regexp.MustCompile(`\bfreopen\s*\(\s*"([^"\\%]*)$`)
)

// At returns the place that a script ends in. Ok is false if no file is due there.
func At(src string) (p Place, ok bool) {
	line := src[strings.LastIndexByte(src, '\n')+1:]
	if m := included.FindStringSubmatch(line); m != nil {
		return Place{m[1], true}, true
	}
	if m := opened.FindStringSubmatch(line); m != nil {
		return Place{m[1], false}, true
	}
	return Place{}, false
}

// Takes reports whether a file can stand there.
func (p Place) Takes(e fs.DirEntry) bool {
	if !p.Script || e.IsDir() {
		return true
	}
	return slices.Contains([]string{".d", ".h", ".inc"}, filepath.Ext(e.Name()))
}

// Base returns the last part of what was typed, which a completion replaces.
func Base(typed string) string { return typed[strings.LastIndexByte(typed, '/')+1:] }

// Complete returns what the last part of a name that has been begun could be, a folder with
// a slash behind it. A name that is not whole begins at dir. Files that hide are offered to
// who types the dot.
func Complete(dir, typed string, read func(dir string) ([]fs.DirEntry, error), takes func(fs.DirEntry) bool) (list []string) {
	base := Base(typed)
	if before := strings.TrimSuffix(typed, base); filepath.IsAbs(before) {
		dir = filepath.Clean(before)
	} else {
		dir = filepath.Join(dir, before)
	}
	if dir == "" {
		dir = "."
	}
	entries, err := read(dir)
	if err != nil {
		return nil // what is wrong with the name is said when it is used
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || name[0] == '.' && base == "" || takes != nil && !takes(e) {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		if list = append(list, name); len(list) == most {
			break
		}
	}
	return list
}

// Common returns what all names begin with.
func Common(names []string) string {
	if len(names) == 0 {
		return ""
	}
	first, last := slices.Min(names), slices.Max(names)
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return strings.ToValidUTF8(first[:n], "")
}
