package symbol

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
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
	funcs, err := goFuncs(data, text.Addr)
	if err != nil {
		return err
	}
	for i := range funcs {
		fn := &funcs[i]
		if fn.Sym == nil || fn.End < fn.Entry || len(b.strs)+len(fn.Name) > maxTable {
			continue
		}
		b.syms = append(b.syms, elfSymbol{addr: fn.Entry, size: fn.End - fn.Entry, name: uint32(len(b.strs)), bind: elf.STB_LOCAL})
		b.strs = append(append(b.strs, fn.Name...), 0)
	}
	return nil
}

// minGoFunc is less than what a function takes of the table, in bytes. A table
// that claims more functions than fit would cost their memory.
const minGoFunc = 32

// goFuncs reads a table of a Go program's functions. Of the header only the
// count is looked at here, the eight bytes after the first eight.
func goFuncs(data []byte, text uint64) (funcs []gosym.Func, err error) {
	defer func() {
		if p := recover(); p != nil { // package gosym trusts what it reads
			funcs, err = nil, fmt.Errorf("read functions of a Go program: %v", p)
		}
	}()
	if len(data) < 16 || binary.LittleEndian.Uint64(data[8:]) > uint64(len(data)/minGoFunc) {
		return nil, errors.New("read functions of a Go program: no table")
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text))
	if err != nil {
		return nil, fmt.Errorf("read functions of a Go program: %w", err)
	}
	return t.Funcs, nil
}
