package user

import (
	"os"
	"path/filepath"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// A file that goes away after it was found, and before it was read, is not one without
// functions: another process may still execute it. One that is no program is.
func TestArrivedTooLate(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(text)
	if err != nil {
		t.Fatal(err)
	}
	stamp := space.StampOf(info)
	changed := stamp
	changed.Size++
	for _, tt := range []struct {
		name  string
		found space.Found
		gone  bool
	}{
		{"removed", space.Found{Path: text + ".gone"}, true},
		{"replaced", space.Found{Path: text, Stamp: changed}, true},
		{"no program", space.Found{Path: text, Stamp: stamp}, false},
	} {
		q := &query{p: newAt(dir), pat: probes.Pattern{Provider: every, Module: "text"}, seen: map[probes.Probe]*place{}}
		list, err := q.arrived(7, mapped{found: tt.found, name: "text", path: text}, true)
		if len(list) > 0 || space.Gone(err) != tt.gone || !tt.gone && err != nil {
			t.Errorf("%s: %v, %v", tt.name, list, err)
		}
	}
}

// Which file is the program of a process only that can tell; its name any.
func TestArrivedProgram(t *testing.T) {
	p := fakeProc(t, 7)
	code, err := space.Process{Proc: p.proc, PID: 7}.Code()
	if err != nil || len(code) == 0 {
		t.Fatal(code, err)
	}
	for _, tt := range []struct {
		module string
		gone   bool // whether it is to be looked for again once the process has ended
	}{{"a.out", true}, {"go", false}} {
		pat := probes.Pattern{Provider: every, Module: tt.module, Function: "main.main", Name: "entry"}
		for _, ended := range []bool{false, true} {
			q := newAt(p.proc)
			pid := 7
			if ended {
				pid = 8
			}
			list, err := q.Arrived(pat, probes.Arrival{PID: pid, File: code[0]})
			if want := ended && tt.gone; space.Gone(err) != want || (len(list) == 1) == want {
				t.Errorf("%s, ended %v: %d sites, %v", tt.module, ended, len(list), err)
			}
		}
	}
}
