package user

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/probes/binary"
)

// sourceFile reports whether the function part of a description is the name of a
// file of source, and its name that of a line.
func (q *query) sourceFile() (file string, line int, ok bool) {
	file, isGlob := glob(q.pat.Function)
	if isGlob || !strings.Contains(file, ".") {
		return "", 0, false
	}
	name, _ := glob(q.pat.Name)
	n, err := strconv.ParseInt(name, 10, 32)
	return file, int(n), err == nil && n > 0
}

// lines finds the places at which a line of the source begins, one in each function
// and in each copy of one. They bear the name of the file as their function, and the
// number of the line.
func (f *finder) lines(file string, line int) error {
	d, err := f.o.debugInfo()
	if err != nil {
		f.refused = fmt.Errorf("%s:%d: %w", file, line, err)
		return nil
	}
	places, err := d.Lines(file, line)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, p := range places {
		chain := spell(d.Chain(p.Addr))
		off, ok := f.o.offset(p.Addr)
		if !p.Stmt || !ok || seen[chain] {
			continue
		}
		seen[chain] = true
		f.functions++
		if err := f.add(file, strconv.Itoa(line), spot{hook: f.hook(off), addr: p.Addr}); err != nil {
			return err
		}
	}
	if len(seen) > 0 {
		return nil
	}
	return f.noLine(d, file, line)
}

// noLine says that a line has no code in a file, or that no source goes by that name. It
// may be that of another file that the description covers.
func (f *finder) noLine(d *binary.Debug, file string, line int) error {
	for next := line + 1; next < line+nearLines; next++ {
		if list, err := d.Lines(file, next); err == nil && len(list) > 0 {
			return refuse("D_PROC_OFF", fmt.Sprintf("line %d of %s has no code in %s", line, file, f.m.name),
				fmt.Sprintf("line %d has", next))
		}
	}
	switch last, err := d.LastLine(file); {
	case err != nil:
		f.refused = fmt.Errorf("%s:%d: %w", file, line, err)
	case last > 0:
		f.refused = refuse("D_PROC_OFF", fmt.Sprintf("line %d of %s has no code in %s", line, file, f.m.name),
			fmt.Sprintf("the last line that has is %d", last))
	default:
		f.refused = refuse("D_PROC_FUNC", fmt.Sprintf("there is neither a function nor a source called %s in %s", file, f.m.name), "")
	}
	return nil
}

// nearLines is how far behind a line one with code is looked for.
const nearLines = 50

// spell tells chains of calls apart.
func spell(chain []binary.Call) string {
	var b strings.Builder
	for _, c := range chain {
		fmt.Fprintf(&b, "%s@%x;", c.Func, c.Start)
	}
	return b.String()
}
