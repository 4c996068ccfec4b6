package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func TestRecent(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if list, err := Recent(state); err != nil || list != nil {
		t.Errorf("before anything was opened: %v, %v", list, err)
	}
	for _, path := range []string{"/a.d", "/b.d", "/a.d"} {
		if err := Remember(state, path); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Recent(state); err != nil || !slices.Equal(list, []string{"/a.d", "/b.d"}) {
		t.Errorf("Recent = %v, %v", list, err)
	}
	for i := range mostRecent + 5 {
		if err := Remember(state, fmt.Sprintf("/%d.d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if list, _ := Recent(state); len(list) != mostRecent || list[0] != fmt.Sprintf("/%d.d", mostRecent+4) {
		t.Errorf("%d are remembered, first %s", len(list), list[0])
	}
}

// Of two workbenches that remember at the same time, neither forgets what the other has.
func TestRecentTogether(t *testing.T) {
	state := t.TempDir()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := Remember(state, fmt.Sprintf("/%d.d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, _ := Recent(state); len(list) != 20 {
		t.Errorf("%d of 20 are remembered", len(list))
	}
}

func TestStrangeRecent(t *testing.T) {
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "recent"), []byte("relative\n\n/a.d\n\x1b[31m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := Recent(state); err != nil || !slices.Equal(list, []string{"/a.d"}) {
		t.Errorf("Recent = %q, %v", list, err)
	}
	if err := os.Remove(filepath.Join(state, "recent")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(state, "recent")); err != nil {
		t.Fatal(err)
	}
	if list, err := Recent(state); err == nil {
		t.Errorf("a link is followed: %q", list)
	}
}
