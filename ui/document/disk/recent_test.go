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
	for _, k := range []Known{{"/a.d", ""}, {"/b.d", "-x quiet 'a b'"}, {"/a.d", "7"}} {
		if err := Remember(state, k); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Recent(state); err != nil || !slices.Equal(list, []Known{{"/a.d", "7"}, {"/b.d", "-x quiet 'a b'"}}) {
		t.Errorf("Recent = %v, %v", list, err)
	}
	for i := range mostRecent + 5 {
		if err := Remember(state, Known{Path: fmt.Sprintf("/%d.d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if list, _ := Recent(state); len(list) != mostRecent || list[0].Path != fmt.Sprintf("/%d.d", mostRecent+4) {
		t.Errorf("%d are remembered, first %v", len(list), list[0])
	}
}

// Of two workbenches that remember at the same time, neither forgets what the other has.
func TestRecentTogether(t *testing.T) {
	state := t.TempDir()
	var all sync.WaitGroup
	for who := range 2 {
		all.Go(func() {
			for i := range 10 {
				if err := Remember(state, Known{Path: fmt.Sprintf("/%d-%d.d", who, i)}); err != nil {
					t.Error(err)
				}
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
	if err := os.WriteFile(filepath.Join(state, "recent"), []byte(`{"path":"relative"}`+"\n\n"+`{"path":"/a.d"}`+"\n\x1b[31m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := Recent(state); err != nil || !slices.Equal(list, []Known{{Path: "/a.d"}}) {
		t.Errorf("Recent = %v, %v", list, err)
	}
	if err := os.Remove(filepath.Join(state, "recent")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(state, "recent")); err != nil {
		t.Fatal(err)
	}
	if list, err := Recent(state); err == nil {
		t.Errorf("a link is followed: %v", list)
	}
}
