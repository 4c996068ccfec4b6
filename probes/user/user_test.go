package user

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

func TestProviderNames(t *testing.T) {
	for _, tt := range []struct {
		text string
		want providerName
		ok   bool
	}{
		{"pid12", providerName{pid: 12}, true},
		{"pid0", providerName{}, true}, // so that it can be refused by name
		{"pid", providerName{}, false},
		{"pidgin", providerName{}, false},
		{"pid+1", providerName{}, false},
		{"pid99999999999", providerName{}, false},
		{"proc", providerName{}, false},
		{"pid*", providerName{all: true}, true},
		{`pid\*`, providerName{all: true}, true},
		{"pid1*", providerName{glob: "pid1*"}, true},
		{"pid[12]", providerName{glob: "pid[12]"}, true},
		{"p*d77", providerName{pid: 77}, true},
		{"*77", providerName{pid: 77}, true},
		{"q*77", providerName{pid: 77}, false},
		{"p*", providerName{}, false},
		{"*", providerName{}, false},
	} {
		if got, ok := parseName(tt.text); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: got %+v, %t; want %+v, %t", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func TestProbeNames(t *testing.T) {
	for _, tt := range []struct {
		text string
		want kind
	}{
		{"entry", kind{entry: true}},
		{"return", kind{back: true}},
		{"", kind{entry: true, back: true, glob: "*"}},
		{"*", kind{entry: true, back: true, glob: "*"}},
		{"1f", kind{offset: 0x1f, one: true}},
		{"0", kind{one: true}},
		{"1*", kind{glob: "1*"}},
		{"e*", kind{entry: true, glob: "e*"}},
		{`entr\y`, kind{entry: true}},
	} {
		if got, err := parseProbeName(tt.text); err != nil || got != tt.want {
			t.Errorf("%q: got %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
	}
	var r *Refusal
	if _, err := parseProbeName("beginning"); !errors.As(err, &r) || r.Tag() != "D_PROC_NAME" {
		t.Errorf("beginning: %v", err)
	}
}

func TestModules(t *testing.T) {
	lib := mapped{name: "libc.so.6", path: "/usr/lib/libc.so.6"}
	prog := mapped{name: "prog-1.0", path: "/opt/prog-1.0", main: true}
	for _, tt := range []struct {
		pattern string
		m       mapped
		want    bool
	}{
		{"", lib, true}, {"libc", lib, true}, {"libc.so", lib, true}, {"libc.so.6", lib, true}, {"libc.so.7", lib, false},
		{"lib*", lib, true}, {"/usr/lib/libc.so.6", lib, true}, {"a.out", lib, false}, {"lib", lib, false},
		{"a.out", prog, true}, {"a.*", prog, true}, {"prog-1.0", prog, true}, {"prog", prog, false},
	} {
		if got := tt.m.is(tt.pattern); got != tt.want {
			t.Errorf("%q means %s: %t", tt.pattern, tt.m.name, got)
		}
	}
}

// fakeProc makes a process file system with processes that execute the Go
// command, which is a program that is there and has its symbols.
func fakeProc(t *testing.T, pids ...int) *Provider {
	t.Helper()
	self, err := exec.LookPath("go")
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		t.Skipf("needs the Go command: %v", err)
	}
	id, err := space.IDOf(self)
	if err != nil {
		t.Fatal(err)
	}
	proc := t.TempDir()
	for _, pid := range pids {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		maps := fmt.Sprintf("00400000-00500000 r--p 00000000 fe:00 %[1]d %[2]s\n00500000-00600000 r-xp 00100000 fe:00 %[1]d %[2]s\n"+
			"7f0000000000-7f0000001000 r-xp 00000000 00:00 0 [vdso]\nnonsense\n7f0000001000-7f0000002000 r-xp 0 fe:00 77 /no/such/file\n",
			id.Inode, self)
		if err := os.WriteFile(filepath.Join(dir, "maps"), []byte(maps), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(self, filepath.Join(dir, "exe")); err != nil {
			t.Fatal(err)
		}
	}
	return newAt(proc)
}

func match(t *testing.T, p *Provider, text string) ([]probes.Probe, error) {
	t.Helper()
	pat, err := probes.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []probes.Probe
	for pr, err := range p.Match(context.Background(), pat) {
		if err != nil {
			return list, err
		}
		list = append(list, pr)
	}
	return list, nil
}

func TestMatch(t *testing.T) {
	p := fakeProc(t, 12, 345)
	const main = "main.main"
	name := "go"
	for _, tt := range []struct {
		text  string
		want  []string // providers
		hooks int
		pid   int
	}{
		{"pid12:a.out:" + main + ":entry", []string{"pid12"}, 1, 12},
		{"p*d345:" + name + ":main.m?in:entry", []string{"pid345"}, 1, 345},
		{"pid[13]*:a.out:" + main + ":entry", []string{"pid12", "pid345"}, 1, 12},
		{"pid*:a.out:" + main + ":entry", []string{"pid*"}, 1, 0},
		{"pid12:a.out:" + main + ":0", []string{"pid12"}, 1, 12},
	} {
		got, err := match(t, p, tt.text)
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%s: got %v, %v; want %v", tt.text, got, err, tt.want)
			continue
		}
		for i, pr := range got {
			if pr.Provider != tt.want[i] || pr.Module != name || pr.Function != main {
				t.Errorf("%s: got %v", tt.text, pr)
			}
		}
		sites, err := p.Sites(got[0])
		if err != nil || len(sites) != tt.hooks || sites[0].Hook.PID != tt.pid || sites[0].Hook.Offset == 0 {
			t.Errorf("%s: sites %+v, %v", tt.text, sites, err)
		}
	}
}

// TestReturnsOfGo checks that what moves its stack is not given foreign
// addresses to return to.
func TestReturnsOfGo(t *testing.T) {
	p := fakeProc(t, 12)
	got, err := match(t, p, "pid12:a.out:main.main:return")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	sites, err := p.Sites(got[0])
	if err != nil || len(sites) == 0 {
		t.Fatal(sites, err)
	}
	for _, s := range sites {
		if !s.Hook.Return || !s.Hook.AtEnd {
			t.Errorf("hook %+v", s.Hook)
		}
	}
}

func TestNoMatch(t *testing.T) {
	p := fakeProc(t, 12)
	for text, tag := range map[string]string{
		"pid13:a.out::entry":              "D_PROC_GRAB",
		"pid0:::entry":                    "D_PROC_BADPID",
		"pid12:a.out:nothing.here:entry":  "D_PROC_FUNC",
		"pid12:a.out:main.main:ffffff":    "D_PROC_OFF",
		"pid12:a.out:-:1":                 "D_PROC_OFF",
		"pid*:::entry":                    "D_PROC_LIB",
		"pid12:a.out:main.main:beginning": "D_PROC_NAME",
		"pid12:::":                        "D_PROC_CREATEFAIL",
	} {
		_, err := match(t, p, text)
		var r *Refusal
		if !errors.As(err, &r) || r.Tag() != tag {
			t.Errorf("%s: %v, want %s", text, err, tag)
		}
	}
	for _, text := range []string{"pid12:libnone::entry", "pid77*:::entry", "pid12:a.out:main.nosuch*:entry", "pid12::nosuch:entry"} {
		if _, err := match(t, p, text); !probes.IsNoMatch(err) {
			t.Errorf("%s: %v, want no match", text, err)
		}
	}
}
