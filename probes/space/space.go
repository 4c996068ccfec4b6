// Package space knows what processes have in their address spaces: which pieces of
// which files, and how to get at those files. It is also where it is read which processes
// there are, and what the kernel tells of each (stat.go).
//
// The kernel tells the first in /proc/PID/maps. The second is harder than it looks. The
// path that is told there is the one that the process knows. It leads elsewhere, or
// nowhere, if the process lives in another root, if the file has been replaced since
// (as every upgrade does), or removed. So a file is looked for
//
//	by its path,
//	by its path under /proc/PID/root,
//	as /proc/PID/map_files/…, which is the file itself,
//
// in this order, because a path outlives the process and the last does not, and is not
// for everybody to look at. Of a process that may end any moment (Catch) the last comes
// before the second where it takes no scout. What is found counts only if it is the file that is
// mapped: on the same device with the same number. Some file systems (btrfs, overlays)
// tell another device to those who ask for a file than they tell of mappings; there
// map_files settles it.
//
// Whoever owns a process chooses what stands here, and root reads it: everything is
// bounded, nothing but plain files is ever opened, and opening never waits.
package space

import (
	"bytes"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/probes/scout"
)

// A FileID tells the files of a machine apart while they exist.
type FileID struct {
	Major, Minor uint32 // of the device
	Inode        uint64
}

// device returns where the file is.
func (id FileID) device() scout.Device { return scout.Device{Major: id.Major, Minor: id.Minor} }

// A Stamp tells a file apart also from what it was before it was written anew.
type Stamp struct {
	FileID
	Changed, Size int64 // nanoseconds of the wall clock, bytes
}

// StampOf returns the stamp of a file.
func StampOf(info os.FileInfo) Stamp {
	return Stamp{identify(info), info.ModTime().UnixNano(), info.Size()}
}

// FileIDs are what the files of paths are told apart by, so that each is asked for once.
type FileIDs map[string]FileID

// Of returns that of one path; the zero FileID if it leads nowhere.
func (known FileIDs) Of(path string) FileID {
	id, ok := known[path]
	if !ok {
		id, _ = IDOf(path) // one that is gone is told of when it is attached to
		known[path] = id
	}
	return id
}

// IDOf returns what the file of a path is told apart by.
func IDOf(path string) (FileID, error) {
	info, err := scout.Look(path, scout.Device{})
	if err != nil {
		return FileID{}, err
	}
	return identify(info), nil
}

// A Mapping is a piece of an address space.
type Mapping struct {
	Start, End uint64
	Offset     uint64 // in the file
	File       FileID // Inode is 0 if there is none
	Exec       bool   // whether it can be executed
	Deleted    bool   // whether the path leads to the file no more
	Path       string // as the process knows it; may be a word such as [heap]
}

// Name returns the last part of the path.
func (m *Mapping) Name() string {
	if m.Path == "" || strings.HasPrefix(m.Path, "[anon") {
		return ""
	}
	return path.Base(m.Path)
}

// Limits on what is believed of a process.
const (
	maxBytes  = 16 << 20 // a process may have 65,530 mappings, unless the system is told otherwise
	maxFiles  = 1 << 12  // that it executes
	maxPieces = 1 << 16  // of them
)

// Parse reads a line of /proc/PID/maps:
//
//	7f28543fa000-7f2854550000 r-xp 00026000 fe:00 326269   /usr/lib/libc.so.6
func Parse(line []byte) (m Mapping, ok bool) {
	var field [5][]byte
	for i := range field {
		field[i], line, _ = bytes.Cut(line, []byte{' '})
	}
	from, to, _ := bytes.Cut(field[0], []byte{'-'})
	major, minor, _ := bytes.Cut(field[3], []byte{':'})
	good := true
	number := func(text []byte, base, bits int) uint64 {
		n, err := strconv.ParseUint(string(text), base, bits)
		good = good && err == nil
		return n
	}
	m.Start, m.End, m.Offset = number(from, 16, 64), number(to, 16, 64), number(field[2], 16, 64)
	m.File = FileID{uint32(number(major, 16, 32)), uint32(number(minor, 16, 32)), number(field[4], 10, 64)}
	m.Exec = bytes.IndexByte(field[1], 'x') >= 0
	name, deleted := strings.CutSuffix(string(bytes.TrimLeft(line, " ")), " (deleted)")
	m.Path, m.Deleted = strings.ReplaceAll(name, `\012`, "\n"), deleted // which is all that the kernel writes otherwise
	return m, good && m.Start < m.End
}

// Read reads the text of /proc/PID/maps, and leaves out lines of another form.
func Read(r io.Reader) []Mapping {
	text, _ := io.ReadAll(io.LimitReader(r, maxBytes)) // an error is an end
	var list []Mapping
	for line := range bytes.Lines(text) {
		if m, ok := Parse(bytes.TrimSuffix(line, []byte{'\n'})); ok {
			list = append(list, m)
		}
	}
	return list
}

// A Process is one whose address space is asked for.
type Process struct {
	Proc string // where the process file system lies
	PID  int
}

// dir returns the folder of the process, or something in it.
func (p Process) dir(name string) string { return p.Proc + "/" + strconv.Itoa(p.PID) + name }

// Root returns the folder that the process takes for the root of all files.
func (p Process) Root() string { return p.dir("/root") }

// Maps returns the address space of a process, ascending.
func (p Process) Maps() ([]Mapping, error) {
	f, err := os.Open(p.dir("/maps"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f), nil
}

// Code returns the files that a process executes, each once, where it lies first.
// Whoever looks for something in all processes asks this of each; so the kernel is
// asked for just that where it can be, and else lines about other memory, which most
// are, are not even taken apart.
func (p Process) Code() ([]Mapping, error) {
	var l lines
	if err := l.open(p.dir("/maps")); err != nil {
		return nil, err
	}
	defer l.close()
	list, ok := l.query()
	if !ok {
		list = l.executable()
	}
	seen := make(map[FileID]bool, len(list))
	return slices.DeleteFunc(list, func(m Mapping) bool {
		if m.File.Inode == 0 || !strings.HasPrefix(m.Path, "/") || seen[m.File] || len(seen) >= maxFiles {
			return true
		}
		seen[m.File] = true
		return false
	}), nil
}

// executable reads what can be executed.
func (l *lines) executable() (list []Mapping) {
	for len(list) < maxPieces {
		line, ok := l.next()
		if !ok {
			break
		}
		if !executes(line) {
			continue
		}
		if m, ok := Parse(line); ok {
			list = append(list, m)
		}
	}
	return list
}

// executes reports whether a line tells of memory that can be executed.
func executes(line []byte) bool {
	i := bytes.IndexByte(line, ' ')
	return i >= 0 && len(line) > i+3 && line[i+3] == 'x'
}

// Executable returns what the program of the process is told apart by.
func (p Process) Executable() (FileID, bool) {
	id, err := IDOf(p.dir("/exe"))
	return id, err == nil
}

// Processes returns the numbers of the processes that run, ascending.
func Processes(proc string) ([]int, error) {
	d, err := os.Open(proc)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, name := range names {
		if n, err := strconv.ParseInt(name, 10, 32); err == nil && n > 0 && name[0] != '+' {
			list = append(list, int(n))
		}
	}
	slices.Sort(list)
	return list, nil
}
