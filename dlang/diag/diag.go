// Package diag holds what the compiler says about a script: complaints as
// values, with places, codes, notes and hints.
//
// A complaint is never printed where it arises. It is added to a List; the
// command line prints the list, the editor draws it under the words, a test
// compares it. A Code keeps the tag that DTrace gives the same mistake
// (D_AGG_REDEF), so that old hands, scripts and search engines recognise it.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/token"
)

// A Severity says how grave a Diagnostic is.
type Severity uint8

// An Error keeps the script from running; a Warning does not.
const (
	Error Severity = iota
	Warning
)

// A Cause says what a complaint is due to, where that is not the script.
type Cause uint8

// The causes of complaints.
const (
	Script     Cause = iota
	NoProvider       // the provider that is named cannot be used here, or not by who asks
	NoTypes          // the kernel does not tell what its types hold
)

// A Diagnostic is one complaint about a script.
type Diagnostic struct {
	At       token.Span
	Severity Severity
	Code     Code
	Msg      string // lower-case, no full stop; speaks of the script, not of the compiler
	Notes    []Note // other places that explain the complaint
	Hint     string // what to write instead; may be empty
	Why      string // of a name that cannot be had on this machine, the reason, which Msg ends in; else ""
	Cause    Cause
	Fixes    []Fix // the same as changes of the script, the likeliest first; nil if only the author can tell
}

// A Note points at a second place in the script.
type Note struct {
	At  token.Span
	Msg string
}

// Note adds a second place and returns d, so that calls chain.
func (d *Diagnostic) Note(at token.Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{at, fmt.Sprintf(format, args...)})
	return d
}

// Suggest says what to write instead and returns d, so that calls chain.
func (d *Diagnostic) Suggest(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// A List collects complaints. The zero value is ready for use.
type List []*Diagnostic

// Max is the number of complaints after which a list takes no more: the first
// few say what is wrong, the rest are echoes.
const Max = 100

// Add appends an error at a place and returns it for Note and Suggest. In a full
// list it takes the place of a warning, so that a script with an error never
// passes for one that has none.
func (l *List) Add(at token.Span, code Code, format string, args ...any) *Diagnostic {
	d := &Diagnostic{At: at, Code: code, Msg: fmt.Sprintf(format, args...)}
	if len(*l) < Max {
		*l = append(*l, d)
		return d
	}
	for i, old := range slices.Backward(*l) {
		if old.Severity == Warning {
			(*l)[i] = d
			break
		}
	}
	return d
}

// Full reports whether l takes no more: what is wrong besides need not be looked for.
func (l List) Full() bool {
	return len(l) >= Max && !slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Warning })
}

// Failed reports whether l holds an error.
func (l List) Failed() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Move adds by to every place of l: the text that l is about has become a part of
// a longer one.
func (l List) Move(by token.Pos) {
	for _, d := range l {
		d.At = d.At.Move(by)
		for i := range d.Notes {
			d.Notes[i].At = d.Notes[i].At.Move(by)
		}
		for i := range d.Fixes {
			d.Fixes[i].At = d.Fixes[i].At.Move(by)
		}
	}
}

// Sort orders l by place, then by code, and drops exact repetitions.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b *Diagnostic) int {
		return cmp.Or(cmp.Compare(a.At.From, b.At.From), cmp.Compare(a.At.To, b.At.To),
			cmp.Compare(a.Code, b.Code), strings.Compare(a.Msg, b.Msg))
	})
	*l = slices.CompactFunc(*l, func(a, b *Diagnostic) bool {
		return a.At == b.At && a.Code == b.Code && a.Msg == b.Msg
	})
}

// A ListError is a failed list as an error value, for those who return one.
type ListError struct {
	File *token.File
	List List
}

// Error returns the first complaint and how many follow.
func (e *ListError) Error() string {
	if len(e.List) == 0 {
		return "no complaint"
	}
	d := e.List[0]
	name, line, _ := e.File.Place(d.At.From)
	s := fmt.Sprintf("%s:%d: %s", name, line, d.Msg)
	if n := len(e.List) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}
