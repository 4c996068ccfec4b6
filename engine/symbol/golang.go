package symbol

import (
	"debug/elf"
	"debug/gosym"
)

// addGo takes the functions of a Go program from the table that its runtime
// unwinds by, which stays in the binary when the symbols are stripped.
func (b *elfBinary) addGo(f *elf.File, size int64) error {
	table := f.Section(".gopclntab")
	if table == nil {
		table = f.Section(".data.rel.ro.gopclntab") // where it is when it must be relocated
	}
	text := f.Section(".text")
	if table == nil || text == nil {
		return nil
	}
	data, err := content(table, size)
	if err != nil {
		return err
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return err
	}
	for i := range t.Funcs {
		fn := &t.Funcs[i]
		if fn.Sym == nil || fn.End < fn.Entry || len(b.strs)+len(fn.Name) > maxTable {
			continue
		}
		b.syms = append(b.syms, elfSymbol{fn.Entry, fn.End - fn.Entry, uint32(len(b.strs)), elf.STB_LOCAL})
		b.strs = append(append(b.strs, fn.Name...), 0)
	}
	return nil
}
