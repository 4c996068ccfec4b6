package binary

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
)

// A Place is an address that a line of the source was compiled to.
type Place struct {
	Addr uint64
	File string
	Line int
	Stmt bool // a good place to stop: the line, or a part of it, begins here
}

// A lineCache keeps what was read of the lines of units.
type lineCache struct {
	tables map[*unit]*lineTable
	rows   int
}

// A lineTable is the lines of a unit.
type lineTable struct {
	dir   string // of the unit
	dirs  []lineFile
	files []lineFile
	rows  []row   // ascending by address within each sequence
	order []int32 // those that cover something, ascending
}

type row struct {
	addr uint64
	file int32
	line int32
	stmt bool
	end  bool // the first address after a sequence
}

// mostRows is how many rows are kept.
const (
	mostRows = 4 << 20
	maxRows  = 4 << 20 // of one unit
)

// Line returns the line of the source that the code at an address comes from.
func (d *Debug) Line(pc uint64) (file string, line int, ok bool) {
	defer d.ask()()
	var err error
	defer func() {
		if err != nil {
			file, line, ok = "", 0, false
		}
	}()
	defer guard(&err, "read lines")
	return d.line(pc)
}

func (d *Debug) line(pc uint64) (file string, line int, ok bool) {
	u := d.unitOf(pc)
	if u == nil {
		return "", 0, false
	}
	t := d.lineTable(u)
	i, exact := slices.BinarySearchFunc(t.order, pc, func(i int32, pc uint64) int { return cmp.Compare(t.rows[i].addr, pc) })
	if !exact {
		i--
	}
	if i < 0 || pc >= t.rows[t.order[i]+1].addr {
		return "", 0, false
	}
	r := &t.rows[t.order[i]]
	return t.name(r.file), int(r.line), true
}

// sort puts the rows that cover something in the order of their addresses.
func (t *lineTable) sort() {
	for i := 0; i+1 < len(t.rows); i++ {
		if r := &t.rows[i]; !r.end && r.addr < t.rows[i+1].addr {
			t.order = append(t.order, int32(i))
		}
	}
	slices.SortStableFunc(t.order, func(i, j int32) int { return cmp.Compare(t.rows[i].addr, t.rows[j].addr) })
}

// Lines returns the addresses that a line was compiled to, ascending. The file is
// named by its last part or by as much of its path as one likes.
func (d *Debug) Lines(file string, line int) (list []Place, err error) {
	defer d.ask()()
	defer guard(&err, "read lines")
	for i := range d.main.units {
		u := &d.main.units[i]
		if u.kind != unitCompile {
			continue
		}
		t := d.lineTable(u)
		is := t.named(file)
		for _, r := range t.rows {
			if int(r.line) == line && !r.end && int(r.file) < len(is) && is[r.file] {
				list = append(list, Place{r.addr, t.name(r.file), line, r.stmt})
			}
		}
	}
	if d.main.tired != nil {
		return nil, d.main.tired
	}
	slices.SortFunc(list, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Addr, b.Addr), flag(b.Stmt)-flag(a.Stmt)) })
	return slices.CompactFunc(list, func(a, b Place) bool { return a.Addr == b.Addr }), nil
}

// isFile reports whether a path ends as is asked for.
func isFile(whole, asked string) bool {
	return whole == asked || strings.HasSuffix(whole, "/"+asked)
}

// name returns the path of a file, "" if there is no such file.
func (t *lineTable) name(i int32) string {
	if int(i) >= len(t.files) {
		return ""
	}
	f, dir := t.files[i], lineFile{}
	if int(f.dir) < len(t.dirs) {
		dir = t.dirs[f.dir]
	}
	if len(t.dir)+len(dir.name)+len(f.name) > maxName { // before anything is copied
		return ""
	}
	name, in := string(f.name), string(dir.name)
	if name == "" || path.IsAbs(name) {
		return name
	}
	if !path.IsAbs(in) {
		in = path.Join(t.dir, in)
	}
	if in == "" {
		return name
	}
	return path.Join(in, name)
}

// named returns which files are named as is asked for.
func (t *lineTable) named(asked string) []bool {
	is, last := make([]bool, len(t.files)), []byte(path.Base(asked))
	for i, f := range t.files {
		is[i] = bytes.HasSuffix(f.name, last) && isFile(t.name(int32(i)), asked)
	}
	return is
}

// fileName returns the file that has a number in a unit.
func (d *Debug) fileName(u *unit, number uint64) string {
	if number > 1<<30 {
		return ""
	}
	return d.lineTable(u).name(int32(number))
}

// lineTable returns the lines of a unit; an empty table if they make no sense.
func (d *Debug) lineTable(u *unit) *lineTable {
	if t := d.lines.tables[u]; t != nil {
		return t
	}
	if d.lines.tables == nil || d.lines.rows > mostRows {
		d.lines = lineCache{tables: make(map[*unit]*lineTable)}
	}
	t := &lineTable{}
	if t.read(u); u.d.tired != nil {
		return t // the next question may have them
	}
	t.sort()
	d.lines.tables[u] = t
	d.lines.rows += len(t.rows) + len(t.dirs) + len(t.files) + 1
	return t
}

// read reads the lines of u.
func (t *lineTable) read(u *unit) (err error) {
	defer guard(&err, "read lines")
	root, err := u.head()
	if err != nil || !root.hasLine {
		return cmp.Or(err, errors.New("no lines"))
	}
	h, err := u.lineHead(root.lines)
	if err != nil {
		return err
	}
	err = t.run(h)
	t.dirs, t.files, t.dir = h.dirs, h.files, root.dir
	return err
}
