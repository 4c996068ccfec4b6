package usdt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// A proc is a folder in which processes are told of as in /proc.
type proc struct {
	t   *testing.T
	dir string
}

// maps makes a process that has files in its memory.
func (p proc) maps(pid int, paths ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "55d000000000-55d000001000 rw-p 00000000 00:00 0          [heap]\n")
	for i, path := range paths {
		id, err := space.IDOf(path)
		if err != nil {
			p.t.Fatal(err)
		}
		device := fmt.Sprintf("%02x:%02x", id.Major, id.Minor)
		fmt.Fprintf(&b, "7f%d000000000-7f%d000001000 r--p 00000000 %s %d %s\n", i, i, device, id.Inode, path)
		fmt.Fprintf(&b, "7f%d000001000-7f%d000002000 r-xp 00001000 %s %d %s\n", i, i, device, id.Inode, path)
	}
	fmt.Fprintf(&b, "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n")
	dir := filepath.Join(p.dir, fmt.Sprint(pid))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "maps"), []byte(b.String()), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// write makes a file.
func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// native makes the sample a program for this machine.
func native() *program {
	p := sample()
	p.machine = machines[runtime.GOARCH]
	return p
}

func match(t *testing.T, p *Provider, pattern string) []string {
	t.Helper()
	pat, err := probes.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for probe, err := range p.Match(context.Background(), pat) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, probe.String())
	}
	return list
}

func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	shop := write(t, filepath.Join(dir, "shop"), native().bytes())
	plain := write(t, filepath.Join(dir, "plain"), []byte("#!/bin/sh\n"))
	root := proc{t, filepath.Join(dir, "proc")}
	root.maps(12, shop, plain)
	root.maps(7012, shop)
	root.maps(99, plain)
	write(t, filepath.Join(root.dir, "uptime"), []byte("1 2\n"))
	p := over(root.dir)
	for pattern, want := range map[string][]string{
		"shop12:::":           {"shop12:shop::sale-done", "shop12:shop:inner:sale-start", "shop12:shop:main:sale-start"},
		"shop7012:::sale-d*":  {"shop7012:shop::sale-done"},
		"shop*:::sale-done":   {"shop12:shop::sale-done", "shop7012:shop::sale-done"},
		"*12:shop:main:":      {"shop12:shop:main:sale-start", "shop7012:shop:main:sale-start"},
		"*7012:::sale-done":   {"shop7012:shop::sale-done"},
		"shop99:::":           nil,
		"shop5:::":            nil,
		"shop012:::":          nil,
		"12:::":               nil,
		"shop*:other*::":      nil,
		"sh[a-z]p1?:::*-done": {"shop12:shop::sale-done"},
	} {
		if got := match(t, p, pattern); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
	if got := match(t, p, ""); len(got) != 6 {
		t.Errorf("everything is %q", got)
	}
	if len(p.files) != 2 {
		t.Errorf("%d files were read, not 2", len(p.files))
	}
	sites, err := p.Sites(probes.Probe{Provider: "shop12", Module: "shop", Function: "main", Name: "sale-start"})
	if err != nil || len(sites) != 1 {
		t.Fatal(sites, err)
	}
	want := probes.Hook{Kind: probes.User, Target: "sale-start", File: shop, Offset: 0x1010, PID: 12, Semaphore: 0x2100}
	if s := sites[0]; s.Hook != want || len(s.Args) != 3 || s.Raw != 3 || len(s.Operands) != 3 {
		t.Errorf("got %+v", s)
	}
	if _, err := p.Site(probes.Probe{Provider: "shop12", Name: "none"}); !probes.IsNoMatch(err) {
		t.Errorf("got %v", err)
	}
}

// TestSeveralPlaces holds that a probe which lies at several places has a site at each.
func TestSeveralPlaces(t *testing.T) {
	dir := t.TempDir()
	x := native()
	x.note(codeAddr+0x20, 0, "shop", "sale__start", "8@7")
	shop := write(t, filepath.Join(dir, "shop"), x.bytes())
	root := proc{t, filepath.Join(dir, "proc")}
	root.maps(12, shop)
	p := over(root.dir)
	if got := match(t, p, "shop12::main:sale-start"); len(got) != 1 {
		t.Fatal(got)
	}
	sites, err := p.Sites(probes.Probe{Provider: "shop12", Module: "shop", Function: "main", Name: "sale-start"})
	if err != nil || len(sites) != 2 || sites[0].Hook.Offset != 0x1010 || sites[1].Hook.Offset != 0x1020 {
		t.Fatal(sites, err)
	}
	if len(sites[1].Args) != 1 {
		t.Errorf("the second place has the arguments %v", sites[1].Args)
	}
}

// TestReplaced holds that a file which took the place of the one that a process has
// mapped is not taken for it, and that one which was changed is read again.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shop")
	write(t, path, native().bytes())
	root := proc{t, filepath.Join(dir, "proc")}
	root.maps(12, path)
	p := over(root.dir)
	if got := match(t, p, "shop12:::sale-done"); len(got) != 1 {
		t.Fatal(got)
	}
	more := native()
	more.note(codeAddr, 0, "shop", "more", "")
	write(t, path, more.bytes())
	if got := match(t, p, "shop12:::more"); len(got) != 1 {
		t.Errorf("the new probe is not seen: %q", got)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	write(t, path, more.bytes())
	if got := match(t, p, "shop12:::"); len(got) != 0 {
		t.Errorf("another file is taken for the one that was mapped: %q", got)
	}
}

// TestMayMatch holds that scripts without a provider of ours read nothing.
func TestMayMatch(t *testing.T) {
	p := over("/nowhere")
	for pattern, want := range map[string]bool{
		"BEGIN": false, "syscall:::": false, ":::gc-start": false, "tick-1s": false, "profile:::tick-1": false,
		"": true, "python12:::": true, "python*:::": true, "*:::gc-start": true, "py[0-9]:::": true, "pid?:::": true,
	} {
		pat, _ := probes.ParsePattern(pattern)
		if got := p.MayMatch(pat); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}

// TestModule makes names of files into parts of names of probes.
func TestModule(t *testing.T) {
	for path, want := range map[string]string{"/usr/lib/libc.so.6": "libc.so.6", "/tmp/a b": "a_b", "/tmp/a\nb:c": "a_b_c"} {
		if got := module(&space.Mapping{Path: path}); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

// BenchmarkScan lists the probes of every process of this machine.
func BenchmarkScan(b *testing.B) {
	for b.Loop() {
		for _, err := range New().Match(context.Background(), probes.Pattern{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
