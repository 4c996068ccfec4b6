package refer

import (
	"errors"
	"fmt"
	"strings"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/token"
)

// Renames returns nil, or why a symbol cannot be called otherwise.
func (x *Index) Renames(s *Symbol) error {
	switch s.Kind {
	case Macro:
		return fmt.Errorf("%s comes from the command line", s.Shown())
	case Kernel:
		return fmt.Errorf("%s is the kernel's", s.Shown())
	}
	if !s.Def.IsValid() {
		return fmt.Errorf("%s is not declared in this script", s.Shown())
	}
	for _, at := range s.Uses {
		if err := x.written(s, at); err != nil {
			return err
		}
	}
	return nil
}

// written returns nil if a place was written in the script itself, as it stands.
func (x *Index) written(s *Symbol, at token.Span) error {
	if len(x.File.Runs()) == 0 {
		return nil
	}
	file, place := x.File.Origin(at)
	if x.File.Included(at.From) {
		return fmt.Errorf("%s stands in %s too, which others may include", s.Shown(), file.Name)
	}
	if file.Text(place) != x.File.Text(at) {
		_, line, _ := x.File.Place(at.From)
		return fmt.Errorf("%s comes from a macro in line %d", s.Shown(), line)
	}
	return nil
}

// Rename returns the places, in the file that the script was written in, that have to
// hold the new name of a symbol, in order. The name may have its sigil or scope. It
// refuses a name that would change what the script means.
func (x *Index) Rename(s *Symbol, to string) (name string, places []token.Span, err error) {
	if err := x.Renames(s); err != nil {
		return "", nil, err
	}
	name = strings.TrimSpace(to)
	switch s.Kind {
	case Thread, Firing:
		name = strings.TrimPrefix(name, strings.TrimSuffix(s.Shown(), s.Name))
	case Aggregation:
		name = strings.TrimPrefix(name, "@")
	}
	if err := x.free(s, name); err != nil {
		return "", nil, err
	}
	for _, at := range s.Uses {
		if len(x.File.Runs()) > 0 {
			_, at = x.File.Origin(at)
		}
		places = append(places, at)
	}
	return name, places, nil
}

// free returns nil if a symbol may be called so.
func (x *Index) free(s *Symbol, name string) error {
	switch {
	case name == "":
		return errors.New("a name is missing")
	case !isName(name):
		return fmt.Errorf("%s is no name: letters, digits and _ make one, and no digit begins it", name)
	case token.Lookup(name) != token.Ident:
		return fmt.Errorf("%s is a word of D", name)
	case s.plain() && check.Reserved(name):
		return fmt.Errorf("%s means something in D itself", name)
	case s.plain() && lib.Own().Lookup(name, lib.Inline, lib.Type, lib.Variable, lib.Function) != nil:
		return fmt.Errorf("%s means something in D's library", name)
	}
	for _, o := range x.Symbols {
		if o == s || o.Name != name || !clash(s, o) {
			continue
		}
		_, line, _ := x.File.Place(o.Uses[0].From)
		return fmt.Errorf("%s is there already, in line %d", o.Shown(), line)
	}
	return nil
}

// clash reports whether two symbols of one name could be taken for each other.
func clash(a, b *Symbol) bool {
	if a.Kind == Local && b.Kind == Local {
		return a.scope.From < b.scope.To && b.scope.From < a.scope.To
	}
	if a.Kind == Local || b.Kind == Local {
		local, other := a, b
		if b.Kind == Local {
			local, other = b, a
		}
		if !other.plain() || other.Kind == Function {
			return false
		}
		for _, u := range other.Uses {
			if local.scope.From <= u.From && u.From < local.scope.To {
				return true
			}
		}
		return false
	}
	return a.Kind == b.Kind || a.plain() && b.plain()
}

func isName(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) || i == 0 && '0' <= s[i] && s[i] <= '9' {
			return false
		}
	}
	return s != ""
}
