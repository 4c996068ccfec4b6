package doctor

import (
	"context"
	"os"
	"strings"
	"testing"

	"dscope.dev/engine"
)

// TestHere examines this machine: each no has a reason and a remedy, each provider
// is there, and the trials leave nothing behind.
func TestHere(t *testing.T) {
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	before := descriptors(t)
	r := Examine(context.Background(), e)
	if after := descriptors(t); after > before+1 { // of tracefs, which the engine keeps
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
	seen := map[string]bool{}
	for _, s := range r.Sections {
		for _, f := range s.Findings {
			if f.Name == "" || f.Use == "" || seen[s.Title+f.Name] {
				t.Errorf("%s: %+v", s.Title, f)
			}
			seen[s.Title+f.Name] = true
			if !f.OK && (f.Why == "" || f.Remedy == "") {
				t.Errorf("%s is no, for %q, with the remedy %q", f.Name, f.Why, f.Remedy)
			}
		}
	}
	for _, p := range e.Families() {
		if !seen[titleProviders+p.Name] {
			t.Errorf("nothing is said of provider %s", p.Name)
		}
	}
	if !strings.HasPrefix(r.System, "Linux ") {
		t.Errorf("the system is %q", r.System)
	}
}

// TestTrials holds that what can be traced with is tried with success where the
// engine traces.
func TestTrials(t *testing.T) {
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Available(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("cannot trace: %v", err)
	}
	for _, s := range Examine(context.Background(), e).Sections {
		for _, f := range s.Findings {
			switch f.Name {
			case programs, "types", "raw tracepoint", "tracepoint with BTF", "clock", "uprobe":
				if !f.OK {
					t.Errorf("%s: %s", f.Name, f.Why)
				}
			}
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
