// Package kernel reads the running kernel as data: its types from BTF, its
// symbols from kallsyms, its events from tracefs, and a few plain facts.
//
// Everything is read through fs.FS, so that a test can hand in a kernel made
// of a few files. Everything is read when it is first asked for and never
// before, because a script that uses no kernel type must not pay for a hundred
// thousand of them: a Kernel that nobody asks opens no file.
//
// What is lacking is told by a *Missing error, which says what there is not,
// why, and what to do about it. Callers may keep it and go on with the rest: a
// kernel without BTF still has system calls to trace.
//
// tracefs is often not mounted. Open then takes a private mount that no path
// leads to, reads through its descriptor, and lets it go in Close; nothing is
// left behind for others to see, whatever way the process ends.
//
// A Kernel is a picture: what it has read once it does not read again, so a
// module that is loaded later shows in the next Kernel, or once Renew is called.
//
// A Kernel may be used by several goroutines.
package kernel

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/cilium/ebpf/btf"

	"dscope.dev/probes/binary"
)

// Roots are the places that a Kernel is read from.
type Roots struct {
	Proc fs.FS // /proc
	Sys  fs.FS // /sys

	// Tracing opens tracefs. It is called at most once; what it returns besides
	// the files is closed with the Kernel, and may be nil.
	Tracing func() (fs.FS, io.Closer, error)

	// Arch is the machine as Go names it: amd64 or arm64.
	Arch string

	// Types are those of the running kernel as the library has them when it loads programs:
	// decoded once for it and for us, and mapped, where a file of Sys would be copied. It is nil
	// if the roots are not those of the running kernel.
	Types *btf.Cache

	// Files is where files of debug information are looked for.
	Files binary.Root
}

// A Missing is something that this kernel, or these privileges, do not give.
type Missing struct {
	What   string // "kernel types"
	Why    string // "there is no /sys/kernel/btf/vmlinux"
	Remedy string // "use a kernel built with CONFIG_DEBUG_INFO_BTF=y"
	Err    error  // the cause, or nil
}

// Error returns one sentence with the remedy in brackets.
func (m *Missing) Error() string {
	s := fmt.Sprintf("no %s: %s", m.What, m.Why)
	if m.Remedy != "" {
		s += " (" + m.Remedy + ")"
	}
	return s
}

// Unwrap returns the cause.
func (m *Missing) Unwrap() error { return m.Err }

// A Kernel is a kernel as data. Close it to give tracefs back.
type Kernel struct {
	roots Roots

	tracing   func() (fs.FS, error)
	vmlinux   func() (*btf.Spec, error)
	names     func() (*names, error)
	events    func() ([]Event, error)
	symbols   func() (*Symbols, error)
	facts     func() (Facts, error)
	points    func() (*points, error)
	functions func() (*Functions, error)
	renewed   []func() // what Renew does to those that modules change

	listing sync.Once
	inFirst []string // see Listed

	named  sync.Map // symbols that were asked for: a script names few, and does with each change of it
	mods   modules
	types  types
	images images

	mu     sync.Mutex
	mount  io.Closer // of tracefs; nil if there is nothing to give back
	closed bool
}

// New returns the kernel that r shows. It reads nothing yet.
func New(r Roots) *Kernel {
	k := &Kernel{roots: r}
	k.tracing = sync.OnceValues(k.openTracing)
	k.vmlinux = sync.OnceValues(k.loadVmlinux)
	k.names = sync.OnceValues(k.loadNames)
	k.facts = sync.OnceValues(k.loadFacts)
	events, symbols := newRenewable(k.loadEvents), newRenewable(k.loadSymbols)
	points, functions := newRenewable(k.loadPoints), newRenewable(k.loadFunctions)
	k.events, k.symbols, k.points, k.functions = events.get, symbols.get, points.get, functions.get
	k.renewed = []func(){events.renew, symbols.renew, points.renew, functions.renew}
	k.mods.specs = map[string]*module{}
	k.types.init()
	return k
}

// Arch returns the machine as Go names it: amd64 or arm64.
func (k *Kernel) Arch() string { return k.roots.Arch }

// Tracing returns tracefs.
func (k *Kernel) Tracing() (fs.FS, error) { return k.tracing() }

func (k *Kernel) openTracing() (fs.FS, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, fmt.Errorf("read tracefs: %w", fs.ErrClosed)
	}
	files, closer, err := k.roots.Tracing()
	if err != nil {
		return nil, err
	}
	k.mount = closer
	return files, nil
}

// Close lets tracefs and images go. What has been read stays usable.
func (k *Kernel) Close() error {
	err := k.images.close() // which may wait for one that is being opened
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.mount == nil {
		return err
	}
	err = errors.Join(err, k.mount.Close())
	k.mount = nil
	return err
}
