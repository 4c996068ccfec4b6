package user

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/binary"
)

// A fileID tells a file from all others, and from what it was before it was
// written anew.
type fileID struct {
	dev, inode  uint64
	mtime, size int64
}

// mapped is a file that a process executes.
type mapped struct {
	id   fileID
	name string // the last part of its path
	path string // as the process sees it
	file string // by which we open it
	root binary.Root
	main bool // whether it is the executable
}

// is reports whether a module of a description means m.
func (m *mapped) is(pattern string) bool {
	if pattern == "" || probes.Glob(pattern, m.name) || probes.Glob(pattern, m.path) {
		return true
	}
	if m.main && probes.Glob(pattern, "a.out") {
		return true
	}
	stem, _, isLib := strings.Cut(m.name, ".so")
	return isLib && (probes.Glob(pattern, stem+".so") || probes.Glob(pattern, stem))
}

// pids returns the processes that run, ascending.
func (p *Provider) pids() []int {
	entries, err := os.ReadDir(p.proc)
	if err != nil {
		return nil
	}
	var list []int
	for _, e := range entries {
		if pid, ok := parsePID(e.Name()); ok {
			list = append(list, pid)
		}
	}
	slices.Sort(list)
	return list
}

// Limits on what is believed of a process.
const (
	maxMaps    = 16 << 20 // bytes of /proc/PID/maps
	maxObjects = 1 << 12  // files that it executes
)

// errNoMaps is what a thread of the kernel has for an address space.
var errNoMaps = errors.New("it executes no file")

// mapped lists the files that a process executes, the executable first, then in
// the order of their addresses.
func (p *Provider) mapped(pid int) ([]mapped, error) {
	dir := p.proc + "/" + strconv.Itoa(pid)
	f, err := os.Open(dir + "/maps")
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, errors.New("there is no such process")
		}
		return nil, bare(err)
	}
	defer f.Close()
	var exe fileID
	if info, err := os.Stat(dir + "/exe"); err == nil {
		exe = identify(info)
	}
	var list []mapped
	lines := bufio.NewScanner(io.LimitReader(f, maxMaps))
	for lines.Scan() && len(list) < maxObjects {
		m, ok := p.mapping(dir, lines.Text())
		if !ok || slices.ContainsFunc(list, func(o mapped) bool { return o.id == m.id }) {
			continue
		}
		m.main = m.id == exe
		list = append(list, m)
	}
	if len(list) == 0 {
		return nil, errNoMaps
	}
	slices.SortStableFunc(list, func(a, b mapped) int { return rank(a) - rank(b) })
	return list, nil
}

func rank(m mapped) int {
	if m.main {
		return 0
	}
	return 1
}

// bare strips an error of the path.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// mapping reads a line of /proc/PID/maps,
//
//	7f28543fa000-7f2854550000 r-xp 00026000 fe:00 326269   /usr/lib/libc.so.6
//
// if it is a file that is executed. Such a file is opened by its path if that
// leads to it for us too, else as the process sees it, else through the mapping,
// which also finds files that have been removed.
func (p *Provider) mapping(dir, line string) (m mapped, ok bool) {
	var field [5]string
	for i := range field {
		field[i], line, _ = strings.Cut(line, " ")
	}
	inode, err := strconv.ParseUint(field[4], 10, 64)
	if err != nil || inode == 0 || !strings.Contains(field[1], "x") {
		return m, false
	}
	m.path = strings.TrimSuffix(strings.TrimLeft(line, " "), " (deleted)")
	m.name = path.Base(m.path)
	from, to, _ := strings.Cut(field[0], "-")
	itself := fmt.Sprintf("%s/map_files/%s-%s", dir, strings.TrimLeft(from, "0"), strings.TrimLeft(to, "0"))
	sure, err := regular(itself) // which not everybody may look at
	for _, file := range []string{m.path, dir + "/root" + m.path, itself} {
		id, bad := regular(file)
		if bad == nil && (id == sure || err != nil && id.inode == inode) {
			m.id, m.file = id, file
			if file != m.path {
				m.root.Dir = dir + "/root"
			}
			return m, true
		}
	}
	return m, false
}

// regular identifies a file, which must not be a device or the like.
func regular(file string) (fileID, error) {
	info, err := os.Stat(file)
	if err != nil {
		return fileID{}, err
	}
	if !info.Mode().IsRegular() {
		return fileID{}, errors.New("not a regular file")
	}
	return identify(info), nil
}
