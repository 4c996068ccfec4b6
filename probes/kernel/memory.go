package kernel

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// MemoryLeft returns how many bytes there are left for this process: what the machine can
// give without swapping, and no more than its control group may still take. It is very
// much where nothing tells.
func (k *Kernel) MemoryLeft() int64 {
	return min(member(k.roots.Proc, "meminfo", "MemAvailable:", 1<<10), k.groupMemory())
}

// groupMemory reads what the control groups of this process, each of which is bounded by
// the one that it is in, leave it. What they hold of files can be had back.
func (k *Kernel) groupMemory() int64 {
	left := int64(math.MaxInt64)
	text, _ := fs.ReadFile(k.roots.Proc, "self/cgroup")
	for line := range strings.Lines(string(text)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		const root = "fs/cgroup"
		for dir := path.Join(root, path.Clean("/"+name)); dir != root; dir = path.Dir(dir) {
			most, bounded := k.groupNumber(dir + "/memory.max")
			used, known := k.groupNumber(dir + "/memory.current")
			if !bounded || !known {
				continue
			}
			if files := member(k.roots.Sys, dir+"/memory.stat", "inactive_file", 1); files < used {
				used -= files
			}
			left = min(left, max(most-used, 0))
		}
	}
	return left
}

// groupNumber reads a file that holds one number, if it is one: there may be no bound.
func (k *Kernel) groupNumber(name string) (int64, bool) {
	text, err := fs.ReadFile(k.roots.Sys, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// member reads the number behind a name in a file of such, in some unit; very much if
// there is none.
func member(files fs.FS, file, name string, unit int64) int64 {
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return math.MaxInt64
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			if n, err := strconv.ParseInt(words[1], 10, 54); err == nil {
				return n * unit
			}
		}
	}
	return math.MaxInt64
}
