// Package kerneltest makes kernels for tests: the files of one that was
// recorded in testdata/kernel, with types that are made here.
//
// The types are a handful, chosen for what they have in them: a cycle, a
// bit-field, an unnamed union, a forward declaration, an enumeration of each
// width, an integer of 16 bytes, a function pointer. Recorded BTF would be
// five megabytes.
package kerneltest

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"dscope.dev/probes/binary"
	"dscope.dev/probes/kernel"
)

// A Kernel is the files of a kernel, to be changed before it is opened.
type Kernel struct {
	Proc, Sys, Tracing fstest.MapFS
	Arch               string
	Files              string // the folder that is the root of files; "" is an empty one

	Refuse error // why tracefs cannot be opened, or nil
	Opened int   // how often tracefs was opened
	Closed int   // how often it was given back
}

// Read returns the kernel that was recorded as testdata/kernel/NAME.txtar,
// with the types of Types. The machine is the last part of the name.
func Read(t testing.TB, name string) *Kernel {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join(root(t), "testdata", "kernel", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	k := &Kernel{Proc: fstest.MapFS{}, Sys: fstest.MapFS{}, Tracing: fstest.MapFS{}}
	k.Arch = name[strings.LastIndexByte(name, '-')+1:]
	for _, f := range archive.Files {
		top, path, _ := strings.Cut(f.Name, "/")
		switch top {
		case "proc":
			k.Proc[path] = &fstest.MapFile{Data: f.Data}
		case "sys":
			k.Sys[path] = &fstest.MapFile{Data: f.Data}
		case "tracing":
			k.Tracing[path] = &fstest.MapFile{Data: f.Data}
		default:
			t.Fatalf("%s: %s is under neither proc, sys nor tracing", name, f.Name)
		}
	}
	k.Sys["kernel/btf/vmlinux"] = &fstest.MapFile{Data: Types(t)}
	return k
}

// Open opens the kernel, and closes it with the test.
func (k *Kernel) Open(t testing.TB) *kernel.Kernel {
	t.Helper()
	files := k.Files
	if files == "" {
		files = t.TempDir()
	}
	opened := kernel.New(kernel.Roots{
		Proc:  k.Proc,
		Sys:   k.Sys,
		Arch:  k.Arch,
		Files: binary.Root{Dir: files},
		Tracing: func() (fs.FS, io.Closer, error) {
			k.Opened++
			return k.Tracing, closer{k}, k.Refuse
		},
	})
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened
}

type closer struct{ k *Kernel }

func (c closer) Close() error { c.k.Closed++; return nil }

// root finds the folder of the module.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = up
	}
}

// Live returns the running kernel, or skips the test with the reason; on a
// machine where CI is set, it fails.
func Live(t testing.TB) *kernel.Kernel {
	t.Helper()
	k := kernel.Open()
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	_, err := k.Events()
	if err == nil {
		_, err = k.Tracepoints()
	}
	if err == nil {
		return k
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("needs a real kernel: %v", err)
	}
	t.Skipf("needs a real kernel: %v", err)
	return nil
}
