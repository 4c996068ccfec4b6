package unwind

import (
	"encoding/binary"
	"slices"

	"dscope.dev/engine/python"
	"dscope.dev/engine/symbol"
)

// An interpreter is that of a process, put together from the files that it maps.
type interpreter struct {
	*python.Interpreter
	bias     uint64 // from the addresses of its file
	specific uint32
}

// meet takes a piece of code of the process.
func (in *interpreter) meet(f *file, c *symbol.Code) {
	if f.specific != 0 {
		in.specific = f.specific
	}
	if f.py == nil {
		return
	}
	if bias, ok := f.py.Bias(c.Start, c.End, c.Offset); ok {
		in.Interpreter, in.bias = f.py, bias
	}
}

// complete reports whether its frames can be found.
func (in *interpreter) complete() bool {
	return in.Interpreter != nil && in.Layout != nil && in.specific != 0
}

// putPython tells of an interpreter that was loaded at a distance from the addresses of its file.
func putPython(value []byte, in *python.Interpreter, bias uint64, specific uint32) {
	l := in.Layout
	binary.LittleEndian.PutUint64(value[PyKey:], bias+in.Runtime+uint64(l.Key))
	binary.LittleEndian.PutUint32(value[PySpecific:], specific)
	binary.LittleEndian.PutUint32(value[PyCurrent:], l.Current)
	binary.LittleEndian.PutUint32(value[PyCFrame:], uint32(l.CFrame))
	binary.LittleEndian.PutUint32(value[PyBytecode:], l.Bytecode)
	copy(value[PyCode:], []byte{l.Code, l.Previous, l.Instr, l.Owner, l.Shim, l.Entry})
}

// maxPythons is how many processes that run Python are told of, the newest.
const maxPythons = 64

// noteScripts notes that a process runs Python.
func (t *Tables) noteScripts(pid uint32) {
	if slices.Contains(t.scripts, pid) {
		return
	}
	if len(t.scripts) == maxPythons {
		t.scripts = t.scripts[1:]
	}
	t.scripts = append(slices.Clip(t.scripts), pid) // what was returned stays as it was
	select {
	case t.came <- struct{}{}:
	default: // nobody has heard of the one before
	}
}

// PythonCame returns what tells that Pythons has one more, which may soon have ended. A nil t tells nothing.
func (t *Tables) PythonCame() <-chan struct{} {
	if t == nil {
		return nil
	}
	return t.came
}

// Pythons returns the processes that run a Python which is understood, the newest last. A nil t knows of none.
func (t *Tables) Pythons() []uint32 {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.scripts
}
