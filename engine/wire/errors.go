package wire

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A failure is an error as it crosses: its text, and what consumers ask of it with
// errors.Is and errors.As.
type failure struct {
	Text   string
	Is     []string // the names of those that it is, from sentinels
	Dear   *trace.DearError
	Wide   *trace.WideError
	Script *scriptError
}

// sentinels are the errors that consumers compare with.
var sentinels = []struct {
	name string
	err  error
}{
	{"unresponsive", trace.ErrUnresponsive},
	{"dear", trace.ErrTooDear},
	{"wide", trace.ErrWide},
	{"canceled", context.Canceled},
	{"deadline", context.DeadlineExceeded},
}

func fail(err error) *failure {
	f := &failure{Text: err.Error()}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			f.Is = append(f.Is, s.name)
		}
	}
	errors.As(err, &f.Dear)
	errors.As(err, &f.Wide)
	if list := (*diag.ListError)(nil); errors.As(err, &list) {
		f.Script = toScript(list)
	}
	return f
}

// error returns an error of the same text that is what the other one was.
func (f *failure) error() error {
	out := &crossed{text: f.Text}
	for _, s := range sentinels {
		if slices.Contains(f.Is, s.name) {
			out.is = append(out.is, s.err)
		}
	}
	if f.Dear != nil {
		out.is = append(out.is, f.Dear)
	}
	if f.Wide != nil {
		out.is = append(out.is, f.Wide)
	}
	if f.Script != nil {
		out.is = append(out.is, f.Script.list())
	}
	for _, err := range out.is {
		if err.Error() == f.Text { // nothing was wrapped around it
			return err
		}
	}
	if out.is == nil {
		return errors.New(f.Text)
	}
	return out
}

// A crossed error has come from elsewhere.
type crossed struct {
	text string
	is   []error
}

func (e *crossed) Error() string   { return e.text }
func (e *crossed) Unwrap() []error { return e.is }

// A scriptError is a *diag.ListError: the text of its file, and of places that were written
// elsewhere (a header, a library, the body of a macro) the lines that they are shown by.
type scriptError struct {
	Name, Src string
	List      diag.List
	Places    []place
}

type place struct {
	At        token.Pos
	Name      string // of the file
	Line, Col int
	Text      string // the line
}

func toScript(e *diag.ListError) *scriptError {
	s := &scriptError{List: e.List}
	if e.File == nil {
		return s
	}
	s.Name, s.Src = e.File.Name, e.File.Src
	plain := token.NewFile(s.Name, s.Src)
	look := func(p token.Pos) {
		if !p.IsValid() {
			return
		}
		name, line, col := e.File.Place(p)
		text, _ := e.File.LineAt(p)
		asName, asLine, asCol := plain.Place(p)
		if asText, _ := plain.LineAt(p); name != asName || line != asLine || col != asCol || text != asText {
			s.Places = append(s.Places, place{p, name, line, col, text})
		}
	}
	for _, d := range e.List {
		look(d.At.From)
		for _, n := range d.Notes {
			look(n.At.From)
		}
	}
	slices.SortFunc(s.Places, func(a, b place) int { return cmp.Compare(a.At, b.At) })
	s.Places = slices.CompactFunc(s.Places, func(a, b place) bool { return a.At == b.At })
	return s
}

// list makes a file that tells of every place in the list as the other one did.
func (s *scriptError) list() *diag.ListError {
	file := token.NewFile(s.Name, s.Src)
	runs := []token.Run{{File: file}}
	var annexes []*token.File
	for _, p := range s.Places {
		off := p.At.Offset()
		if p.Col < 1 || p.Col > len(p.Text)+1 || off < 0 {
			continue
		}
		if off > len(s.Src) {
			if base := p.At - token.Pos(p.Col); base >= file.End() && (annexes == nil || annexes[len(annexes)-1].End() <= base) {
				annexes = append(annexes, token.NewAnnex(p.Name, p.Text, p.Line, base))
			}
			continue
		}
		line := token.NewSource(p.Name, p.Text, []token.Label{{Line: 1, As: p.Line}}, nil)
		runs = append(runs, token.Run{At: off, File: line, Off: p.Col - 1}, token.Run{At: off + 1, File: file, Off: off + 1})
	}
	if len(runs) > 1 {
		file = token.NewMapped(s.Name, s.Src, runs)
	}
	list := slices.DeleteFunc(s.List, func(d *diag.Diagnostic) bool { return d == nil })
	return &diag.ListError{File: file.WithAnnexes(annexes), List: list}
}
