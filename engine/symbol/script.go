package symbol

import (
	"path"
	"strings"

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

// scriptFile returns what a file of a script is called in a frame: the last part of its path, and
// the one before it where every package has a file of the name (__init__.py, __main__.py).
func scriptFile(name string) string {
	base := path.Base(name)
	if dir := path.Base(path.Dir(name)); strings.HasPrefix(base, "__") && dir != "." && dir != "/" {
		return dir + "/" + base
	}
	return base
}
