package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestStore(t *testing.T) {
	s := New(t.TempDir())
	if list, err := s.List(); err != nil || list != nil {
		t.Errorf("before any run: %v, %v", list, err)
	}
	for i, text := range []string{"BEGIN { }", "END { }", "BEGIN { }"} {
		if err := s.Begin(Run{ID: fmt.Sprint(i), Began: begun.Add(time.Duration(i) * time.Hour), Path: "/a.d", Call: "-x quiet 7", Kernel: "6.18"}, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(Run{ID: "1", Length: time.Minute, Drops: 3, Err: "why", Figures: []string{"@n 2 keys"}}); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil || len(list) != 3 || list[0].ID != "2" {
		t.Fatalf("List = %+v, %v", list, err)
	}
	if r := list[1]; !r.Ended || r.Length != time.Minute || r.Drops != 3 || r.Err != "why" || len(r.Figures) != 1 || r.Path != "/a.d" || r.Call != "-x quiet 7" {
		t.Errorf("the run that ended is %+v", r)
	}
	if list[2].Ended {
		t.Error("a run whose end nobody saw has ended")
	}
	for i, want := range []string{"BEGIN { }", "END { }", "BEGIN { }"} {
		if text, err := s.Script(list[2-i]); err != nil || text != want {
			t.Errorf("the script of run %d is %q, %v", i, text, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(s.dir, "*.d")); len(files) != 2 {
		t.Errorf("%v: each text once", files)
	}
}

// The end of a run that is over at once may be written before its beginning.
func TestEndsFirst(t *testing.T) {
	s := New(t.TempDir())
	if err := errors.Join(s.End(Run{ID: "1", Events: 5}), s.Begin(Run{ID: "1", Began: begun}, "x")); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 || !list[0].Ended || list[0].Events != 5 {
		t.Errorf("List = %+v, %v", list, err)
	}
}

// Nothing of what another hand left is believed.
func TestStrange(t *testing.T) {
	s := New(t.TempDir())
	if err := s.Begin(Run{ID: "1", Began: begun}, "x"); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.dir, "runs")
	data, _ := os.ReadFile(name)
	if err := os.WriteFile(name, []byte("\x00\n{}\n"+string(data)+`{"id":"1","ended":true,"len`), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil || len(list) != 1 || list[0].Ended {
		t.Errorf("List = %+v, %v", list, err)
	}
	if err := s.Begin(Run{ID: "2", Began: begun}, "x"); err != nil {
		t.Fatal(err)
	}
	if list, err = s.List(); err != nil || len(list) != 2 || list[0].ID != "2" {
		t.Errorf("what comes behind a line that was cut is lost: %+v, %v", list, err)
	}
	if _, err := s.Script(Run{Sum: "../../etc/passwd"}); err == nil {
		t.Error("a sum is taken for a path")
	}
	if err := os.WriteFile(s.script(list[0].Sum), []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Script(list[0]); err == nil || !strings.Contains(err.Error(), "another text") {
		t.Errorf("another text is taken for the script: %v", err)
	}
}

// Of many runs the newest stay, with their scripts; two workbenches lose nothing of each other.
func TestMany(t *testing.T) {
	s := New(t.TempDir())
	s.most = 40
	pad := []string{strings.Repeat("x", 400)}
	var all sync.WaitGroup
	for w := range 2 {
		all.Go(func() {
			for i := range 100 {
				id := fmt.Sprintf("%d-%d", w, i)
				if err := s.Begin(Run{ID: id, Began: begun.Add(time.Duration(i) * time.Second)}, id); err != nil {
					t.Error(err)
				}
				if err := s.End(Run{ID: id, Figures: pad}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	list, err := s.List()
	if err != nil || len(list) < s.most || len(list) > 3*s.most {
		t.Fatalf("%d runs are remembered, %v", len(list), err)
	}
	for _, r := range list {
		if text, err := s.Script(r); err != nil || text != r.ID || !r.Ended {
			t.Errorf("run %s: %q, %v, ended %v", r.ID, text, err, r.Ended)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(s.dir, "*.d")); len(files) != len(list) {
		t.Errorf("%d scripts of %d runs", len(files), len(list))
	}
}
