package usdt

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Where a 64-bit ELF file tells of its sections' names: fields of the file's header
// and of a section's.
const (
	headBytes      = 64
	sectionsAt     = 40
	sectionSizeAt  = 58
	sectionsNumAt  = 60
	sectionNamesAt = 62
	offsetAt       = 24
	sizeAt         = 32
	maxNames       = 64 << 10
)

// mayCarry tells at a glance whether a file can have notes: whether any section is
// called as theirs. Of all that processes execute few files have, and to look for
// the others takes three short reads each. What is unusual may carry anything.
func mayCarry(r io.ReaderAt, size int64) bool {
	order := binary.LittleEndian
	head := make([]byte, headBytes)
	if _, err := r.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")) {
		return true
	}
	sections, count, names := order.Uint64(head[sectionsAt:]), order.Uint16(head[sectionsNumAt:]), order.Uint16(head[sectionNamesAt:])
	if order.Uint16(head[sectionSizeAt:]) != headBytes || names >= count || sections > uint64(size) {
		return true
	}
	if _, err := r.ReadAt(head, int64(sections)+headBytes*int64(names)); err != nil {
		return true
	}
	from, length := order.Uint64(head[offsetAt:]), order.Uint64(head[sizeAt:])
	if length > maxNames || from > uint64(size) {
		return true
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, int64(from)); err != nil {
		return true
	}
	return bytes.Contains(text, []byte(noteSection))
}
