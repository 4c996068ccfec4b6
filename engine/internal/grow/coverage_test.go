package grow

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// placed returns a place of a file as a provider finds it.
func placed(path string, offset uint64, pid int) *probes.Site {
	return &probes.Site{Hook: probes.Hook{Kind: probes.User, Target: "f", File: path, Offset: offset, PID: pid}}
}

// plainFile makes a file, and returns by what it is told apart.
func plainFile(t *testing.T) (string, space.FileID) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := space.IDOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, id
}

func TestCoverage(t *testing.T) {
	path, id := plainFile(t)
	o := &plan.Opening{PIDs: []int{0}, Sites: []*probes.Site{placed(path, 1, 0), placed(path, 2, 12), placed(path, 2, 7)}}
	c := newCoverage(plan.Openings{o})
	paths := space.FileIDs{}
	seen := seenFile{file: id}
	if _, fresh := c.add(o, placed(path, 1, 0), seen, paths); fresh {
		t.Error("a place that the run has from its start is added")
	}
	n, fresh := c.add(o, placed(path, 2, 0), seen, paths)
	if !fresh || !slices.Equal(n.site.Except, []int{7, 12}) {
		t.Errorf("a place that two processes have of their own: %v, %+v", fresh, n.site)
	}
	if _, fresh := c.add(o, placed(path, 2, 0), seen, paths); fresh {
		t.Error("a place is added twice")
	}
}

// What is gone when it is to be probed is wanted again, but not for ever; what the kernel
// refuses is not.
func TestStrike(t *testing.T) {
	path, id := plainFile(t)
	o := &plan.Opening{PIDs: []int{0}}
	c := newCoverage(plan.Openings{o})
	seen := seenFile{file: id}
	attempt := func(err error) (again bool) {
		var list []addition
		missing := map[probes.Hook]error{}
		c.saw(seen)
		for offset := range uint64(3) {
			if n, fresh := c.add(o, placed(path, offset, 0), seen, space.FileIDs{}); fresh {
				list = append(list, n)
				at := n.site.Hook
				at.Semaphore = 0x10 // as countListeners sets it
				missing[at] = fmt.Errorf("enable: %w", err)
			}
		}
		c.strike(list, missing)
		return !c.known[seen] && len(c.covered) == 0
	}
	for i := range mostStruck {
		if !attempt(syscall.ENOENT) || !c.gone[id] {
			t.Fatalf("after %d times the file is not looked at any more: %+v", i, c)
		}
	}
	if attempt(syscall.ENOENT) {
		t.Error("there is no end to it")
	}
	c = newCoverage(plan.Openings{o})
	if attempt(syscall.EINVAL) || len(c.gone) > 0 {
		t.Error("what the kernel refuses is tried again")
	}
	c = newCoverage(plan.Openings{o})
	if !attempt(syscall.ESRCH) || len(c.gone) > 0 {
		t.Error("what a process left behind that has ended is not tried again")
	}
	attempt(syscall.ENOENT)
	if c.saw(seen); len(c.gone) > 0 {
		t.Error("a file that came back counts as gone")
	}
}
