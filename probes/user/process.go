package user

import (
	"errors"
	"os"
	"slices"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// mapped is a file that a process executes.
type mapped struct {
	found space.Found
	name  string // the last part of its path
	path  string // as the process sees it
	root  binary.Root
	main  bool // whether it is the executable

	silent error // its file system does not answer; nil if it does
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

// errNoMaps is what a thread of the kernel has for an address space.
var errNoMaps = errors.New("it executes no file")

// mapped lists the files that a process executes, the executable first, then in
// the order of their addresses.
func (p *Provider) mapped(pid int) ([]mapped, error) {
	proc := space.Process{Proc: p.proc, PID: pid}
	code, err := proc.Code()
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("there is no such process")
	}
	if err != nil {
		return nil, bare(err)
	}
	exe, _ := proc.Executable()
	var list []mapped
	for i := range code {
		found, err := proc.Find(&code[i])
		switch m := newMapped(proc, &code[i], found, exe); {
		case err == nil:
			list = append(list, m)
		case errors.Is(err, scout.ErrSilent):
			m.silent, m.main = bare(err), code[i].File == exe
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, errNoMaps
	}
	slices.SortStableFunc(list, func(a, b mapped) int { return rank(a) - rank(b) })
	return list, nil
}

// newMapped returns a file that a process executes.
func newMapped(proc space.Process, m *space.Mapping, found space.Found, exe space.FileID) mapped {
	f := mapped{found: found, name: m.Name(), path: m.Path, main: found.Stamp.FileID == exe}
	if !found.Own {
		f.root.Dir = proc.Root()
	}
	return f
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
