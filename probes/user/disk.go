package user

import (
	"os"
	"path/filepath"
	"strings"

	"dscope.dev/probes/space"
)

// libraryDirs are where libraries lie on Debian, Fedora and what is made of them.
var libraryDirs = []string{"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib64", "/lib"}

// onDisk finds the program or library of a name that no process executes yet, in
// the folders of commands and libraries. Probes of every process can wait for it.
func onDisk(module string) (mapped, bool) {
	name, isGlob := glob(module)
	if isGlob || name == "" || strings.Contains(name, "/") {
		return mapped{}, false
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if m, ok := at(filepath.Join(dir, name)); ok && filepath.IsAbs(dir) {
			return m, true
		}
	}
	for _, dir := range libraryDirs {
		for _, pattern := range []string{name, name + ".so", name + ".so.*"} {
			found, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, file := range found {
				if m, ok := at(file); ok && m.is(module) {
					return m, true
				}
			}
		}
	}
	return mapped{}, false
}

// at returns the file at a path, under the name that it really has: that is what
// processes map.
func at(file string) (m mapped, ok bool) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return m, false
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return m, false
	}
	m = mapped{found: space.Found{Path: real, Stamp: space.StampOf(info), Own: true}, name: filepath.Base(real), path: real}
	return m, isELF(&m)
}

// isELF tells binaries from scripts, of the shell and of the linker.
func isELF(m *mapped) bool {
	f, err := m.open()
	if err != nil {
		return false
	}
	f.Close()
	return true
}
