package symbol

import (
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"dscope.dev/engine/python"
	"dscope.dev/engine/trace"
)

// trampoline makes of a frame in generated code that of a Python function, if that is what
// it is: asked to (-X perf), Python from 3.12 on calls each of its functions through a few
// instructions of its own, and calls these py::Shop.total:/srv/shop.py in its map. Where in them a
// call returns to says nothing of the line.
func trampoline(f trace.Frame) trace.Frame {
	rest, ok := strings.CutPrefix(f.Symbol, "py::")
	name, file, found := strings.Cut(rest, ":")
	if !ok || !found || name == "" || file == "" {
		return f
	}
	return trace.Frame{Addr: f.Addr, Module: scriptFile(file), Symbol: name, Script: true}
}

// sameScript reports whether f is the trampoline of the function that the frame that it has called is of:
// then the interpreter has told of it, with its line.
func sameScript(called, f *trace.Frame) bool {
	return called.Script && called.Offset != 0 && called.Module == f.Module && called.Symbol == f.Symbol
}

// scriptFile returns what a file of a script is called in a frame: the last part of its path, and
// the one before it where every package has a file of the name (__init__.py, __main__.py).
func scriptFile(name string) string {
	base := path.Base(name)
	if dir := path.Base(path.Dir(name)); strings.HasPrefix(base, "__") && dir != "." && dir != "/" {
		return dir + "/" + base
	}
	return base
}

// A scripts is what is known of the functions of one process that an interpreter runs.
type scripts struct {
	*python.Interpreter
	codeType uint64 // the address of PyCode_Type
	read     time.Time
	funcs    map[uint64]*scriptFunc
	hangs    bool // its memory could not be read in time, and is not any more
}

// A scriptFunc is a function, or the knowledge that there is none at its address.
type scriptFunc struct {
	*python.Function
	sure time.Time // when that was seen last
}

// Limits on what processes say of their functions.
const (
	maxScripts = 64 << 20 // bytes that are kept of all processes
	maxHanging = 8        // processes whose memory cannot be read in time, before no more is read of any
)

// python returns the interpreter of p, nil if it has none that is understood.
func (p *process) python(t *Table) *scripts {
	if p.scripts != nil && p.scripts.read.Equal(p.read) {
		return p.scripts
	}
	s := &scripts{read: p.read}
	for _, m := range p.maps {
		if !m.Exec || m.File.Inode == 0 {
			continue
		}
		b := t.binary(p, m)
		if b == nil || b.python == nil || b.python.Layout == nil {
			continue
		}
		if bias, ok := b.python.Bias(m.Start, m.End, m.Offset); ok {
			s.Interpreter, s.codeType = b.python, bias+b.python.CodeType
			break
		}
	}
	if old := p.scripts; old != nil && old.codeType == s.codeType {
		s.funcs, s.hangs = old.funcs, old.hangs
	}
	p.scripts = s
	return s
}

// script names a frame that a mark stands for; hidden is set if it is of no function that anybody
// wants to see.
func (p *process) script(t *Table, mark uint64) (f trace.Frame, hidden bool) {
	code, unit := python.Unmark(mark)
	f = trace.Frame{Addr: code, Module: "python"}
	if t.NoResolve {
		return f, false
	}
	s := p.python(t)
	if s.Interpreter == nil {
		return f, false
	}
	fn := s.function(t, p.pid, code)
	if fn == nil {
		return f, false
	}
	f.Module, f.Symbol, f.Offset, f.Script = scriptFile(fn.File), fn.Name, uint64(max(fn.Line(unit), 0)), true
	return f, fn.Hidden()
}

// maxUnread is how many interpreters are told of whose functions are not understood.
const maxUnread = 8

// noteUnread notes that a stack shows the function by which an interpreter evaluates, if
// what it evaluates cannot be told.
func (t *Table) noteUnread(b *image, f *trace.Frame) {
	if f.Symbol != python.Evaluates || b.python != nil && b.python.Layout != nil || len(t.unread) >= maxUnread {
		return
	}
	if t.unread == nil {
		t.unread = make(map[string]bool)
	}
	t.unread[f.Module] = true
}

// Unread returns the files of the interpreters of Python of which stacks have shown functions of C alone,
// because theirs are not understood, in order.
func (t *Table) Unread() []string { return slices.Sorted(maps.Keys(t.unread)) }

// function returns what a code object says of itself, read when it is new, and when it is
// long ago that it was seen to be the same. Of a process that has gone what was known stays.
func (s *scripts) function(t *Table, pid uint32, code uint64) *python.Function {
	now := time.Now()
	known := s.funcs[code]
	if known != nil && now.Sub(known.sure) < freshFor || s.hangs || t.hanging >= maxHanging {
		return known.function()
	}
	fn, err := python.Ask(t.procPath(pid, "mem"), func(mem io.ReaderAt) (*python.Function, error) {
		if fn := known.function(); fn != nil && s.Layout.Still(mem, s.codeType, code, fn) {
			return fn, nil
		}
		return s.Layout.Read(mem, s.codeType, code)
	})
	if errors.Is(err, python.ErrHangs) {
		s.hangs = true
		t.hanging++
		return known.function()
	}
	if err != nil && known.function() != nil && t.gone(pid) {
		return known.function()
	}
	s.keep(t, code, &scriptFunc{fn, now})
	return fn
}

// function returns what f is, nil if nothing is known.
func (f *scriptFunc) function() *python.Function {
	if f == nil {
		return nil
	}
	return f.Function
}

// keep keeps what was found. When all is too much, what was found before is forgotten.
func (s *scripts) keep(t *Table, code uint64, f *scriptFunc) {
	size := 64
	if f.Function != nil {
		size += f.Size()
	}
	if t.scripts += size; t.scripts > maxScripts {
		for _, p := range t.procs {
			if p.scripts != nil {
				p.scripts.funcs = nil
			}
		}
		t.scripts = size
	}
	if s.funcs == nil {
		s.funcs = make(map[uint64]*scriptFunc)
	}
	s.funcs[code] = f
}

// gone reports whether a process has no memory any more.
func (t *Table) gone(pid uint32) bool {
	maps, err := t.space(pid).Maps()
	return err != nil || len(maps) == 0
}
