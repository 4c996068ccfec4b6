package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Debug returns the file with the kernel's debug information, or "" if that has not
// been fetched. A machine finds it where distributions put it.
func (k *Kernel) Debug() string {
	file := filepath.Join(k.Dir, "vmlinux")
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

// FetchDebug adds to a kernel the file with its debug information, from the package
// that distributions have beside it. It is some hundreds of megabytes, and so is what
// comes of it, even without the relocations, which nobody needs.
func (k *Kernel) FetchDebug() error {
	if k.Debug() != "" {
		return nil
	}
	cache := filepath.Dir(k.Dir)
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	a, err := openApt(filepath.Join(cache, "apt"))
	if err != nil {
		return fmt.Errorf("fetch the debug information of kernel %s: %w", k.Release(), err)
	}
	tmp, err := os.MkdirTemp(cache, "debug-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if _, err := a.run(tmp, "apt-get", "-qq", "download", "linux-image-"+k.Release()+"-dbg"); err != nil {
		return err
	}
	debs, err := filepath.Glob(filepath.Join(tmp, "*.deb"))
	if err != nil || len(debs) != 1 {
		return fmt.Errorf("fetch the debug information of kernel %s: apt gave %d packages", k.Release(), len(debs))
	}
	if _, err := output(exec.Command("dpkg-deb", "-x", debs[0], filepath.Join(tmp, "x"))); err != nil {
		return err
	}
	image, err := findFile(filepath.Join(tmp, "x"), "vmlinux-"+k.Release(), "vmlinux")
	if err != nil {
		return err
	}
	objcopy, err := tool("objcopy", "binutils")
	if err != nil {
		return err
	}
	small := filepath.Join(tmp, "vmlinux")
	if _, err := output(exec.Command(objcopy, "--only-keep-debug", "-R", ".rela*", image, small)); err != nil {
		return err
	}
	return os.Rename(small, filepath.Join(k.Dir, "vmlinux"))
}

// findFile finds a regular file that bears one of some names.
func findFile(dir string, names ...string) (found string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, name := range names {
			if d.Type().IsRegular() && d.Name() == name {
				found = path
				return fs.SkipAll
			}
		}
		return nil
	})
	if err == nil && found == "" {
		err = errors.New("the package of the debug information has no vmlinux")
	}
	return found, err
}
