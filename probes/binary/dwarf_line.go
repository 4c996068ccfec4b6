package binary

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"io"
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
	files []string
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
	mostRows = 8 << 20
	maxRows  = 16 << 20 // of one unit
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
		for _, r := range t.rows {
			if int(r.line) == line && !r.end && isFile(t.name(r.file), file) {
				list = append(list, Place{r.addr, t.name(r.file), line, r.stmt})
			}
		}
	}
	slices.SortFunc(list, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Addr, b.Addr), flag(b.Stmt)-flag(a.Stmt)) })
	return slices.CompactFunc(list, func(a, b Place) bool { return a.Addr == b.Addr }), nil
}

// isFile reports whether a path ends as is asked for.
func isFile(whole, asked string) bool {
	return whole == asked || strings.HasSuffix(whole, "/"+asked)
}

func (t *lineTable) name(i int32) string {
	if i < 0 || int(i) >= len(t.files) {
		return ""
	}
	return t.files[i]
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
	if err := t.read(u); err != nil && len(t.rows) == 0 {
		t.rows = nil
	}
	t.sort()
	d.lines.tables[u] = t
	d.lines.rows += len(t.rows) + 1
	return t
}

// read lets the standard library read the lines of u: it is shown the one unit,
// as if there were no other.
func (t *lineTable) read(u *unit) (err error) {
	defer guard(&err, "read lines")
	h, err := u.head()
	if err != nil || !h.hasLine {
		return cmp.Or(err, errors.New("no lines"))
	}
	if err := u.checkLines(h.lines); err != nil {
		return err
	}
	info, err := u.data()
	if err != nil {
		return err
	}
	file := u.d
	data, err := dwarf.New(file.section(".debug_abbrev"), nil, nil, info, file.section(".debug_line"), nil, nil, file.section(".debug_str"))
	if err != nil {
		return err
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists"} {
		if b := file.section(name); b != nil {
			if err := data.AddSection(name, b); err != nil {
				return err
			}
		}
	}
	r := data.Reader()
	e, err := r.Next()
	if err != nil || e == nil {
		return cmp.Or(err, errShort)
	}
	lines, err := data.LineReader(e)
	if err != nil || lines == nil {
		return cmp.Or(err, errors.New("no lines"))
	}
	return t.take(lines, h.dir)
}

// take keeps the rows of a table.
func (t *lineTable) take(lines *dwarf.LineReader, dir string) error {
	number := map[*dwarf.LineFile]int32{}
	for i, f := range lines.Files() {
		name := ""
		if f != nil {
			name = f.Name
			if !path.IsAbs(name) && dir != "" {
				name = path.Join(dir, name)
			}
			number[f] = int32(i)
		}
		t.files = append(t.files, name)
	}
	var e dwarf.LineEntry
	for {
		err := lines.Next(&e)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(t.rows) >= maxRows {
			return errTooLarge
		}
		at, ok := number[e.File]
		if !ok {
			at = -1
		}
		t.rows = append(t.rows, row{e.Address, at, int32(min(e.Line, 1<<30)), e.IsStmt, e.EndSequence})
	}
}
