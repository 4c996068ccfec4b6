// Package lab boots other kernels than the one that runs, so that what dscope
// does can be tested on each kernel that it promises to work on. It is for tests
// alone; nothing of dscope imports it.
//
// A machine is an emulated one (QEMU, without a disk, the need for hardware support,
// or a network if it asks for none) whose whole file system is an archive in memory: busybox, a
// small init, and the files that the test adds. It runs one command as root,
// gives back what that wrote and its exit status, and is gone.
//
// Kernels are Debian's, made for virtual machines: packages that this machine's
// own apt knows where to find. They are fetched once into the user's cache
// (dscope/kernels below it); see Fetch.
//
// The matrix is the test of this package that uses it:
//
//	go test ./engine/lab -vm all -v -timeout 60m
//	go test ./engine/lab -vm 6.1,7.2 -run 'Matrix/7.2/cmd_dscope'
//	go test ./engine/lab -vm 6.12 -v -each 40m -beside
//	go test ./engine/lab -vm all -v -run Fleet
//
// On each kernel it runs the checks of testdata/matrix, of which the README
// there tells, and the tests of the packages that touch the kernel. It ends with
// a table of checks by kernels. Needed are qemu-system-x86, busybox-static, gcc
// and a Debian apt; what is missing is told with its remedy, never skipped.
package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Versions are the kernels of the matrix: the oldest that dscope supports, those
// that Debian's releases carry, and the newest.
func Versions() []string { return []string{"6.1", "6.12", "6.18", "7.2"} }

// cacheDir returns the folder in which kernels are kept, and makes it.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil { // no home: a service, say
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("cache-%d", os.Getuid()))
	}
	dir = filepath.Join(dir, "dscope", "kernels")
	return dir, os.MkdirAll(dir, 0o755)
}

// tool returns the path of a program, or says which package has it.
func tool(name, pkg string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing; as root: apt-get install %s", name, pkg)
	}
	return path, nil
}
