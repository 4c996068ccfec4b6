package lib

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A File is a library as it was read.
type File struct{ Path, Text string }

// A Trouble is what makes libraries unusable: a dependency on a library that is
// not there, or on itself.
type Trouble struct {
	Path string // of the library that is to blame
	Line int
	Msg  string
}

func (t *Trouble) Error() string { return fmt.Sprintf("%q, line %d: %s", t.Path, t.Line, t.Msg) }

// Load indexes libraries, each after those that it depends on; of the others
// the order is that of files. A library that depends on a module or provider
// that has denies, or on a library that does so, is known and cannot be used.
// It returns a *Trouble if the files do not go together.
func Load(files []File, has func(class, name string) bool) (*Index, error) {
	s := sorter{files: map[string]*file{}}
	for _, f := range files {
		s.files[f.Path] = &file{File: f, controls: controls(f)}
	}
	for _, f := range files {
		if err := s.visit(s.files[f.Path], nil); err != nil {
			return nil, err
		}
	}
	x := NewIndex()
	missing := map[string]string{}
	for _, f := range s.order {
		x.order = append(x.order, f.Path)
		why := f.unmet(missing, has)
		from := len(x.Items)
		x.Add(f.Path, f.Text)
		if why == "" {
			continue
		}
		missing[f.Path] = why
		for _, it := range x.Items[from:] {
			it.Missing = why
		}
	}
	return x, nil
}

// A file is a library and what is known of its dependencies.
type file struct {
	File
	controls []Control
	state    state
}

// A state is how far a file has come.
type state uint8

const (
	unseen state = iota
	open         // what it depends on is being visited
	done
)

// A sorter puts libraries after those that they depend on.
type sorter struct {
	files map[string]*file
	order []*file
}

func (s *sorter) visit(f *file, by *Trouble) error {
	switch f.state {
	case done:
		return nil
	case open:
		by.Msg += ", which comes to depend on it"
		return by
	}
	f.state = open
	for _, c := range f.controls {
		class, name := dependency(c)
		if class != "library" {
			continue
		}
		by := &Trouble{f.Path, c.Line, "it depends on the library " + name}
		on := s.files[filepath.Join(filepath.Dir(f.Path), name)]
		if on == nil {
			by.Msg += ", which is not there"
			return by
		}
		if err := s.visit(on, by); err != nil {
			return err
		}
	}
	f.state = done
	s.order = append(s.order, f)
	return nil
}

// unmet says which dependency of f is not met, or nothing.
func (f *file) unmet(missing map[string]string, has func(class, name string) bool) string {
	for _, c := range f.controls {
		class, name := dependency(c)
		switch class {
		case "":
		case "library":
			if why := missing[filepath.Join(filepath.Dir(f.Path), name)]; why != "" {
				return why
			}
		default:
			if !has(class, name) {
				return fmt.Sprintf("it needs the %s %s, which is not here (%s, line %d)", class, name, f.Path, c.Line)
			}
		}
	}
	return ""
}

// dependency takes #pragma D depends_on class name apart; class is "" if c is none.
func dependency(c Control) (class, name string) {
	w := strings.Fields(c.Text)
	if len(w) == 5 && w[0] == "#pragma" && w[1] == "D" && w[2] == "depends_on" {
		return w[3], w[4]
	}
	return "", ""
}

// controls returns the control lines of f.
func controls(f File) []Control {
	x := NewIndex()
	x.Add(f.Path, f.Text)
	return x.Controls
}

// Order lists the libraries of x, each before those that it depends on.
func (x *Index) Order() []string {
	list := slices.Clone(x.order)
	slices.Reverse(list)
	return list
}
