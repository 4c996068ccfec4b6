package binary

// LastLine returns the last line of a source that was compiled to anything; 0 if none
// was, or no source goes by that name.
func (d *Debug) LastLine(file string) (last int, err error) {
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
			if !r.end && int(r.file) < len(is) && is[r.file] {
				last = max(last, int(r.line))
			}
		}
	}
	return last, d.main.tired
}
