package browser

import (
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// carrying is a catalog with probes that processes carry, of which 31 does not run any more;
// x86 is a family, and no process 86.
func carrying() *Catalog {
	var probes []trace.Probe
	for _, s := range strings.Fields(`python7:libpython:f:gc-start python7:libpython:f:gc-done python31:libpython:f:gc-start python31:libpython:f:gc-done
		lib2120:shop:sell:sold syscall:vmlinux:read:entry syscall:vmlinux:read:return x86:vmlinux:f:entry x86:vmlinux:f:return`) {
		probes = append(probes, probe(s))
	}
	return NewCatalog(probes, []trace.ProviderInfo{{Name: "syscall"}, {Name: "x86"}})
}

// TestEndedProcesses marks providers of processes that have ended, as soon as somebody goes
// about in the tree, and reads all anew when that is asked for.
func TestEndedProcesses(t *testing.T) {
	s := newStage(t, 60, 30)
	s.m.SetCatalog(carrying())
	s.press("g right") // lib2120, which is a probe of process 120
	s.shows("lib2120", "✗ python31 its process has ended", "▸ python7", "▸ x86")
	if strings.Contains(shown(s.m), "✗ lib2120") || strings.Contains(shown(s.m), "✗ x86") {
		t.Errorf("what runs is marked:\n%s", shown(s.m))
	}
	s.press("j j right enter i")
	if len(s.out) != 0 || !strings.Contains(s.m.Why(), "its process has ended") || strings.Contains(shown(s.m), "gc-start") {
		t.Errorf("a branch of a process that has ended opens: %q\n%s", s.m.Why(), shown(s.m))
	}
	s.press("/ 'python31 enter enter") // found all the same, and refused
	if len(s.out) != 0 || !strings.Contains(s.m.Why(), "its process has ended") {
		t.Errorf("inserted %v, %q", s.out, s.m.Why())
	}
	s.press("esc esc j right")
	s.shows("▾ python7", "▸ libpython")
	s.press("j r")
	if len(s.out) != 1 || s.out[0] != (AgainMsg{}) {
		t.Fatalf("asked %v", s.out)
	}
	next := carrying()
	next = NewCatalog(append(next.probes[:len(next.probes):len(next.probes)], probe("java120:libjvm::start"), probe("java120:libjvm::stop")), []trace.ProviderInfo{{Name: "syscall"}, {Name: "x86"}})
	at := s.m.at
	s.m.SetCatalog(next)
	s.shows("▸ java120", "▾ python7", "▌  ▸ libpython")
	if r, _ := s.m.selected(); s.m.at != at+1 || r.label != "libpython" {
		t.Errorf("the cursor is on line %d, %q", s.m.at, r.label)
	}
}

// TestRecordedProbes: those of a recording are what they are.
func TestRecordedProbes(t *testing.T) {
	m := pane(t, 60, 30)
	m.SetCatalog(carrying())
	m, _ = press(t, m, "j k r")
	if strings.Contains(shown(m), "has ended") || m.Why() != "a recording has the probes that it has" {
		t.Errorf("%q\n%s", m.Why(), shown(m))
	}
}
