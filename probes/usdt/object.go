package usdt

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"

	exe "dscope.dev/probes/binary"
	"dscope.dev/probes/budget"
)

// Object returns an object file for a machine (amd64 or arm64) that holds nothing. It
// is what dtrace -G makes: build files link it in, and the notes need no more.
func Object(arch string) ([]byte, error) {
	machine, ok := machines[arch]
	if !ok {
		return nil, fmt.Errorf("no object file can be made for %s", arch)
	}
	const names = "\x00.shstrtab\x00.note.GNU-stack\x00"
	h := elf.Header64{Type: uint16(elf.ET_REL), Machine: uint16(machine), Version: 1, Ehsize: 64, Shentsize: 64, Shnum: 3, Shstrndx: 1}
	copy(h.Ident[:], []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1})
	pad := (8 - len(names)%8) % 8
	h.Shoff = uint64(64 + len(names) + pad)
	var b bytes.Buffer
	parts := []any{h, []byte(names), make([]byte, pad),
		elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_STRTAB), Off: 64, Size: uint64(len(names)), Addralign: 1},
		// without this section linkers believe that the stack must be executable
		elf.Section64{Name: 11, Type: uint32(elf.SHT_PROGBITS), Off: 64, Addralign: 1},
	}
	for _, p := range parts {
		if err := binary.Write(&b, binary.LittleEndian, p); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Calls returns the probes that an object file reaches by calling functions, as
// those do that were compiled with the sys/sdt.h of DTrace: such a call must be
// replaced before it is linked.
func Calls(name string) ([]string, error) {
	f, err := exe.Root{}.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := budget.New(budget.Limits{Memory: maxMemory})
	e, err := exe.Headers(f, info.Size(), b)
	if err != nil {
		return nil, err
	}
	if e.Class != elf.ELFCLASS64 {
		return nil, ErrForeign
	}
	x := &image{file: e, size: info.Size(), budget: b}
	var list []string
	for s := range x.symbols {
		if probe, ok := bytes.CutPrefix(s.name, []byte("__dtrace_")); ok && s.section == elf.SHN_UNDEF {
			list = append(list, string(probe))
		}
	}
	return list, nil
}
