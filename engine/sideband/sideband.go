// Package sideband hears from the kernel what processes do with their address spaces:
// that one forks, executes a program, maps code, ends. Perf calls this the side band of
// an event: what a profiler must know to make sense of its samples. Here the event
// itself counts nothing and never samples.
//
// It costs the traced nothing but at these moments, stops nobody, and asks for no
// hook. Each CPU tells its part into a ring of its own; what finds the ring full is
// counted (Lost), and whoever listens must then look for himself.
package sideband

import (
	"encoding/binary"
	"strings"

	"dscope.dev/probes/space"
)

// Options say what is heard beside code that is mapped.
type Options struct {
	Names bool // that a program is executed
	Lives bool // that processes fork and end
	Pages int  // of each CPU's ring: a power of two
	Wake  bool // whether there is something to wait for: FDs
}

// A Notice is one thing that was heard.
type Notice struct {
	Kind, Misc uint32
	Time       uint64
	Body       []byte
}

// Process returns the process that a notice is about.
func (n *Notice) Process() (pid uint32, ok bool) {
	if len(n.Body) < 8 {
		return 0, false
	}
	return binary.NativeEndian.Uint32(n.Body), true
}

// Parent returns of which process one has forked.
func (n *Notice) Parent() uint32 { return binary.NativeEndian.Uint32(n.Body[4:]) }

// Code reads a piece of code that was mapped,
//
//	pid, tid uint32 | addr, len, pgoff uint64 | maj, min uint32 | ino, generation uint64 | prot, flags uint32 | name
//
// and the generation of its file, which tells files apart that one number was given to
// one after another.
func (n *Notice) Code() (m space.Mapping, generation uint64, ok bool) {
	const fixed, protExec = 64, 4
	b := n.Body
	if len(b) < fixed {
		return m, 0, false
	}
	o := binary.NativeEndian
	name, _, _ := strings.Cut(string(b[fixed:]), "\x00")
	m = space.Mapping{
		Start: o.Uint64(b[8:]), Offset: o.Uint64(b[24:]),
		File: space.FileID{Major: o.Uint32(b[32:]), Minor: o.Uint32(b[36:]), Inode: o.Uint64(b[40:])},
		Exec: o.Uint32(b[56:])&protExec != 0,
	}
	m.End = m.Start + o.Uint64(b[16:])
	if m.Path, m.Deleted = strings.CutSuffix(name, " (deleted)"); strings.HasPrefix(name, "//anon") {
		m.Path = ""
	}
	return m, o.Uint64(b[48:]), m.Exec && m.End > m.Start
}
