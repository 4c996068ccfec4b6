package user

import (
	"debug/elf"
	"os"

	"dscope.dev/probes/code"
)

// maxCode is how long a function may be, in bytes.
const maxCode = 1 << 20

// arches are the machines whose instructions can be told apart.
var arches = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}

// instructions lists the instructions of a function, as far as they make sense.
func (o *object) instructions(fn *function) []code.Instruction {
	if fn.size == 0 || fn.size > maxCode {
		return nil
	}
	f, err := os.OpenFile(o.file.path, openFlags, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || identify(info) != o.file.id {
		return nil
	}
	text := make([]byte, fn.size)
	if _, err := f.ReadAt(text, int64(fn.off)); err != nil {
		return nil
	}
	return code.Instructions(arches[o.file.arch], text)
}
