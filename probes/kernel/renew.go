package kernel

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// A renewable is read when it is first asked for, and again after it was renewed.
// Whoever has what was read before keeps it.
type renewable[T any] struct {
	load func() (T, error)

	mu   sync.Mutex
	once func() (T, error)
}

func newRenewable[T any](load func() (T, error)) *renewable[T] {
	r := &renewable[T]{load: load}
	r.renew()
	return r
}

func (r *renewable[T]) get() (T, error) {
	r.mu.Lock()
	once := r.once
	r.mu.Unlock()
	return once()
}

func (r *renewable[T]) renew() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.once = sync.OnceValues(r.load)
}

// LiveModules lists the modules that are loaded and have begun to work, in order. It
// reads them each time.
func (k *Kernel) LiveModules() ([]string, error) {
	data, err := fs.ReadFile(k.roots.Proc, "modules")
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		// dummy 16384 0 - Live 0xffffffffc0a4e000
		if f := strings.Fields(line); len(f) > 4 && f[4] == "Live" {
			list = append(list, f[0])
		}
	}
	slices.Sort(list)
	return list, nil
}

// Listed returns the modules that were there when the functions were first listed.
func (k *Kernel) Listed() []string {
	k.functions() // or there is nothing to tell
	return k.inFirst
}

// Renew forgets what modules that have come since change: the lists of functions,
// symbols and tracepoints, the types of those modules, and what was asked for and not
// there. It is read again when it is asked for.
func (k *Kernel) Renew(modules []string) {
	for _, r := range k.renewed {
		r()
	}
	k.named.Clear()
	k.mods.mu.Lock()
	for _, m := range modules {
		delete(k.mods.specs, m)
	}
	k.mods.mu.Unlock()
	k.types.mu.Lock()
	defer k.types.mu.Unlock()
	for at, t := range k.types.named {
		if t == nil || slices.Contains(modules, at.module) {
			delete(k.types.named, at)
		}
	}
}
