package lab

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// modules puts the modules that the machine wants, and those that they need,
// into its file system, and returns their paths there in the order of loading.
func (m *Machine) modules(a *archive) ([]string, error) {
	dir := filepath.Join(m.Kernel.Dir, "modules")
	builtin, err := os.ReadFile(filepath.Join(dir, "modules.builtin"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if name, _, ok := strings.Cut(filepath.Base(file), ".ko"); ok && err == nil && !d.IsDir() {
			files[moduleName(name)] = file
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	l := loading{archive: a, release: m.Kernel.Release(), builtin: moduleName(string(builtin)), files: files, done: map[string]bool{}}
	wanted := m.Modules
	if m.Network {
		wanted = append([]string{"virtio_pci", "virtio_net"}, wanted...)
	}
	for _, name := range wanted {
		if err := l.load(name); err != nil {
			return nil, err
		}
	}
	return l.order, nil
}

// moduleName spells a name as the kernel does: file names may have dashes.
func moduleName(s string) string { return strings.ReplaceAll(s, "-", "_") }

type loading struct {
	archive *archive
	release string
	builtin string            // the list of what is part of the kernel
	files   map[string]string // by name
	done    map[string]bool
	order   []string
}

func (l *loading) load(name string) error {
	name = moduleName(name)
	if l.done[name] || strings.Contains(l.builtin, "/"+name+".ko\n") {
		return nil
	}
	l.done[name] = true
	file, ok := l.files[name]
	if !ok {
		return fmt.Errorf("kernel %s has no module %s", l.release, name)
	}
	data, err := unpacked(file)
	if err != nil {
		return fmt.Errorf("module %s: %w", name, err)
	}
	needs, err := depends(data)
	if err != nil {
		return fmt.Errorf("module %s: %w", name, err)
	}
	for _, n := range needs {
		if err := l.load(n); err != nil {
			return err
		}
	}
	guest := path.Join("lib/modules", l.release, name+".ko")
	l.archive.put(guest, 0o644, string(data))
	l.order = append(l.order, "/"+guest)
	return nil
}

// unpacked reads a module that may be packed by xz or zstd.
func unpacked(file string) ([]byte, error) {
	with := map[string]string{".xz": "xz", ".zst": "zstd"}[filepath.Ext(file)]
	if with == "" {
		return os.ReadFile(file)
	}
	if _, err := tool(with, map[string]string{"xz": "xz-utils", "zstd": "zstd"}[with]); err != nil {
		return nil, err
	}
	out, err := output(exec.Command(with, "-dc", file))
	return []byte(out), err
}

// depends returns the modules that one says it needs.
func depends(module []byte) ([]string, error) {
	f, err := elf.NewFile(bytes.NewReader(module))
	if err != nil {
		return nil, err
	}
	info := f.Section(".modinfo")
	if info == nil {
		return nil, fmt.Errorf("it has no section .modinfo")
	}
	data, err := info.Data()
	if err != nil {
		return nil, err
	}
	for _, item := range bytes.Split(data, []byte{0}) {
		if list, ok := strings.CutPrefix(string(item), "depends="); ok && list != "" {
			return strings.Split(list, ","), nil
		}
	}
	return nil, nil
}

// isStatic reports whether a program needs no loader.
func isStatic(file string) (bool, error) {
	f, err := elf.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	return true, nil
}
