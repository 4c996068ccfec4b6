package binary

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
)

// addGo takes the functions of a Go program from the table that its runtime
// unwinds by, which stays in the binary when the symbols are stripped.
func (s *Symbols) addGo(f *File) error {
	table := f.section(".gopclntab")
	if table < 0 {
		table = f.section(".data.rel.ro.gopclntab") // where it is when it must be relocated
	}
	text := f.section(".text")
	if table < 0 || text < 0 {
		return nil
	}
	data, err := f.content(table, maxTable)
	if err != nil {
		return err
	}
	funcs, err := goFuncs(data, f.elf.Sections[text].Addr)
	if err != nil {
		return err
	}
	for i := range funcs {
		fn := &funcs[i]
		if fn.Sym == nil || fn.End < fn.Entry || len(s.strs)+len(fn.Name) > maxTable {
			continue
		}
		s.syms = append(s.syms, symbol{addr: fn.Entry, size: fn.End - fn.Entry, name: uint32(len(s.strs)), bind: elf.STB_LOCAL})
		s.strs = append(append(s.strs, fn.Name...), 0)
	}
	return nil
}

// minGoFunc is less than what a function takes of the table, in bytes. A table
// that claims more functions than fit would cost their memory.
const minGoFunc = 32

// goFuncs reads a table of a Go program's functions. Of the header only the
// count is looked at here, the eight bytes after the first eight.
func goFuncs(data []byte, text uint64) (funcs []gosym.Func, err error) {
	defer guard(&err, "read functions of a Go program") // package gosym trusts what it reads
	if len(data) < 16 || binary.LittleEndian.Uint64(data[8:]) > uint64(len(data)/minGoFunc) {
		return nil, errors.New("read functions of a Go program: no table")
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text))
	if err != nil {
		return nil, fmt.Errorf("read functions of a Go program: %w", err)
	}
	return t.Funcs, nil
}
