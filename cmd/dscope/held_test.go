package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// kernelObjects are what a process holds in the kernel.
type kernelObjects struct {
	progs []ebpf.ProgramID
	maps  []ebpf.MapID
	links []link.ID
}

// sharedMaps are the names of those that runs use together: they stay as long as one run
// on the machine, or of this process, has them.
var sharedMaps = []string{"dscope_busy", "handover"}

var kernelID = regexp.MustCompile(`(?m)^(prog|map|link)_id:\s*(\d+)$`)

// objectsOf reads from the descriptors of a process what it holds; a map of a program
// counts though its own descriptor may be closed.
func objectsOf(pid string) (o kernelObjects, err error) {
	files, err := filepath.Glob("/proc/" + pid + "/fdinfo/*")
	if err != nil {
		return o, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // closed meanwhile
		}
		for _, m := range kernelID.FindAllStringSubmatch(string(text), -1) {
			id, err := strconv.ParseUint(m[2], 10, 32)
			if err != nil {
				return o, fmt.Errorf("%s: %w", file, err)
			}
			switch m[1] {
			case "prog":
				o.progs = append(o.progs, ebpf.ProgramID(id))
			case "map":
				o.maps = append(o.maps, ebpf.MapID(id))
			case "link":
				o.links = append(o.links, link.ID(id))
			}
		}
	}
	return o, nil
}

// heldBy returns what a process that traces holds.
func heldBy(t testing.TB, pid int) kernelObjects {
	t.Helper()
	o, err := objectsOf(strconv.Itoa(pid))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// some complains if there is nothing that could be left.
func (o kernelObjects) some() error {
	if len(o.progs) == 0 || len(o.maps) == 0 {
		return errors.New("it has no programs and maps in the kernel")
	}
	return nil
}

// left says which of them the kernel still has, but for maps that another holds too, as it
// may.
func (o kernelObjects) left() error {
	var left []error
	still := func(kind string, id any, err error) {
		if !errors.Is(err, os.ErrNotExist) {
			left = append(left, fmt.Errorf("%s %d is left (%v)", kind, id, err))
		}
	}
	for _, id := range o.progs {
		p, err := ebpf.NewProgramFromID(id)
		if err == nil {
			p.Close()
		}
		still("program", id, err)
	}
	for _, id := range o.maps {
		m, err := ebpf.NewMapFromID(id)
		if err == nil {
			info, infoErr := m.Info()
			m.Close()
			if infoErr == nil && slices.Contains(sharedMaps, info.Name) && isHeld(id) {
				continue
			}
		}
		still("map", id, err)
	}
	for _, id := range o.links {
		l, err := link.NewFromID(id)
		if err == nil {
			l.Close()
		}
		still("link", id, err)
	}
	return errors.Join(left...)
}

// isHeld reports whether a process has a map open.
func isHeld(id ebpf.MapID) bool {
	o, err := objectsOf("[0-9]*")
	return err == nil && slices.Contains(o.maps, id)
}

// gone waits until the kernel has freed them all: it does so a grace period after their
// last holder ended.
func (o kernelObjects) gone(t testing.TB) {
	t.Helper()
	if err := o.some(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, fmt.Sprintf("the kernel to free %v", o), func() bool { return o.left() == nil })
}
