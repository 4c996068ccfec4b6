package usdt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"
	"time"
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

// mostLeft is how many readers are left behind that wait for a file system which does not
// answer. Then no more files are looked at.
const mostLeft = 4

var left atomic.Int32

// glance is mayCarry of a file that may lie where nobody answers: who has made it may serve it,
// too. Such a reader is left behind after the deadline, with the file.
func glance(r io.ReaderAt, size int64, deadline time.Duration) (bool, error) {
	if left.Load() >= mostLeft {
		return false, fmt.Errorf("it is not looked into: %d files before it were not read to an end", mostLeft)
	}
	done := make(chan bool, 1)
	go func() { done <- mayCarry(r, size) }()
	late := time.NewTimer(deadline)
	defer late.Stop()
	select {
	case may := <-done:
		return may, nil
	case <-late.C:
	}
	left.Add(1)
	go func() {
		<-done
		left.Add(-1)
	}()
	return false, fmt.Errorf("it took more than %v to read; it is not looked into again", deadline)
}

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
