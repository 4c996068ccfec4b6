// Package filter tells which of many texts a person means who types a few words.
//
//	ssh pid      both words are there, in any of the texts
//	!dd          it is not there
//	/^vfs_/      an expression, in the words of Go's package regexp; also !/^vfs_/
//	~a b|c       all that follows is one expression, blanks too; also !~a b|c
//
// Words match letters of either case, expressions as they are written. A sign that nothing
// follows yet asks for nothing.
package filter

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"dscope.dev/ui/widget"
)

// A Filter is what was typed, ready to be asked. The zero Filter lets everything through.
type Filter struct {
	text  string
	terms []term
}

// A term is one word or expression.
type term struct {
	not  bool
	word string
	re   *regexp.Regexp // nil for a word
}

// Parse makes a filter of what was typed, or says what is wrong with an expression.
func Parse(text string) (Filter, error) {
	f := Filter{text: strings.TrimSpace(text)}
	if rest, not := strings.CutPrefix(f.text, "!"); strings.HasPrefix(rest, "~") {
		if err := f.add(not, "", rest[1:]); err != nil {
			return Filter{}, err
		}
		return f, nil
	}
	for _, word := range strings.Fields(text) {
		word, not := strings.CutPrefix(word, "!")
		expr := ""
		if n := len(word); n > 2 && word[0] == '/' && word[n-1] == '/' {
			expr = word[1 : n-1]
		}
		if err := f.add(not, word, expr); err != nil {
			return Filter{}, err
		}
	}
	return f, nil
}

// add enters an expression, or else a word; neither is fine.
func (f *Filter) add(not bool, word, expr string) error {
	if expr == "" {
		if word != "" {
			f.terms = append(f.terms, term{not: not, word: word})
		}
		return nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		var wrong *syntax.Error
		if errors.As(err, &wrong) {
			return fmt.Errorf("%s in %s", wrong.Code, widget.Safe(wrong.Expr))
		}
		return err
	}
	f.terms = append(f.terms, term{not: not, re: re})
	return nil
}

// String returns what was typed, without blanks around it.
func (f *Filter) String() string { return f.text }

// Empty reports whether everything comes through.
func (f *Filter) Empty() bool { return len(f.terms) == 0 }

// Match reports whether the texts of one thing come through.
func (f *Filter) Match(texts []string) bool {
	for i := range f.terms {
		if f.terms[i].in(texts) == f.terms[i].not {
			return false
		}
	}
	return true
}

func (t *term) in(texts []string) bool {
	for _, text := range texts {
		if t.re != nil && t.re.MatchString(text) || t.re == nil && widget.IndexFold(text, t.word) >= 0 {
			return true
		}
	}
	return false
}
