package symbol

import (
	"bytes"
	"time"

	"dscope.dev/engine/clock"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/resolver"
	"dscope.dev/probes/space"
)

// Code is a piece of code that a process has mapped.
type Code struct {
	Start, End uint64
	Offset     uint64 // in the file
	VDSO       bool   // it is the kernel's own
	Generated  bool   // it is from no file

	m space.Mapping
}

// CodeOf returns the code that a process has mapped from files or made itself, ascending, none if it
// has gone.
func CodeOf(pid uint32) []Code {
	maps, _ := of(pid).Maps()
	var list []Code
	for _, m := range maps {
		vdso, generated := m.Path == "[vdso]", m.Path == ""
		if m.Exec && (m.File.Inode != 0 || vdso || generated) {
			list = append(list, Code{m.Start, m.End, m.Offset, vdso, generated, m})
		}
	}
	return list
}

func of(pid uint32) space.Process { return space.Process{Proc: "/proc", PID: int(pid)} }

// Key tells the file that code is from apart from others while it exists.
func (c *Code) Key() space.FileID { return c.m.File }

// Open opens the file that code of a process is from, if it can be reached and is
// still the one that was mapped.
func (c *Code) Open(pid uint32) (resolver.File, error) {
	file, found, err := of(pid).Open(&c.m)
	if err != nil {
		return resolver.File{}, err
	}
	return resolver.File{File: file.File, Stamp: found.Stamp, Name: c.m.Path}, nil
}

// Kernel returns the kernel's own code, as a file.
func (c *Code) Kernel() (*binary.File, error) {
	data := readVDSO()
	return binary.New(bytes.NewReader(data), int64(len(data)))
}

// tick is the unit in which the start of a process is told.
const tick = 10 * time.Millisecond

// StartOf returns when a process was started, in hundredths of a second since the
// machine was, as programs in the kernel see it.
func StartOf(pid uint32) (start uint64, ok bool) {
	stat, err := of(pid).Stat()
	return stat.Born - uint64(clock.Own().Boot/tick), err == nil
}
