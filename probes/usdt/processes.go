package usdt

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mapping is a file whose code a process has in its memory.
type mapping struct {
	path string // as the process knows it
	span string // where it lies, as /proc/PID/map_files calls it
	id   fileID
}

// A fileID tells files apart while they exist.
type fileID struct {
	device string // major:minor, as /proc/PID/maps writes it
	inode  uint64
}

// Limits on what a process may make us read.
const (
	maxMaps     = 1 << 20 // bytes of a line are few; of lines there are at most 65530 by default
	maxMappings = 4096    // files with code in one process
)

// mappings returns the files whose code a process has, each once. A process that
// has ended, or may not be looked into, has none.
func mappings(proc string, pid int) []mapping {
	f, err := os.Open(filepath.Join(proc, strconv.Itoa(pid), "maps"))
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []mapping
	seen := map[fileID]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 8<<10), 64<<10)
	for n := 0; lines.Scan() && n < maxMaps && len(list) < maxMappings; n++ {
		m, ok := parseMapping(lines.Bytes())
		if ok && !seen[m.id] {
			seen[m.id] = true
			list = append(list, m)
		}
	}
	return list
}

// parseMapping reads a line of /proc/PID/maps if it tells of code from a file:
//
//	7f1c2a9000-7f1c2ab000 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6
func parseMapping(line []byte) (mapping, bool) {
	var m mapping
	span, rest, _ := bytes.Cut(line, []byte{' '})
	mode, rest, _ := bytes.Cut(rest, []byte{' '})
	if len(mode) < 4 || mode[2] != 'x' {
		return m, false
	}
	_, rest, _ = bytes.Cut(rest, []byte{' '})
	device, rest, _ := bytes.Cut(rest, []byte{' '})
	inode, path, _ := bytes.Cut(rest, []byte{' '})
	path = bytes.TrimLeft(path, " ")
	n, err := strconv.ParseUint(string(inode), 10, 64)
	if err != nil || n == 0 || len(path) == 0 || path[0] != '/' {
		return m, false
	}
	return mapping{path: unescape(string(path)), span: string(span), id: fileID{string(device), n}}, true
}

// unescape undoes what the kernel does to a line feed in a path.
func unescape(path string) string { return strings.ReplaceAll(path, `\012`, "\n") }

// candidates returns paths by which the file may be opened, the plainest first.
// The path that the process knows leads elsewhere if the process lives in
// another root, or if the file has been replaced; the last leads to the file itself,
// but only for as long as the process lives, and not for everybody.
func (m mapping) candidates(proc string, pid int) []string {
	base := filepath.Join(proc, strconv.Itoa(pid))
	return []string{m.path, base + "/root" + m.path, base + "/map_files/" + m.span}
}

// open opens the file that is mapped, and returns by which path.
func (m mapping) open(proc string, pid int) (*os.File, string, error) {
	first := error(nil)
	for _, path := range m.candidates(proc, pid) {
		f, err := openFile(path)
		if err == nil && identify(f) == m.id {
			return f, path, nil
		}
		if err == nil {
			f.Close()
			err = fmt.Errorf("%s is another file by now", path)
		}
		if first == nil {
			first = err
		}
	}
	return nil, "", first
}

// module returns the part of a probe's name that says which file it is in.
func (m mapping) module() string {
	name, _ := strings.CutSuffix(filepath.Base(m.path), " (deleted)")
	clean := []byte(name)
	for i, c := range clean {
		if c <= ' ' || c >= 0x7f || c == ':' {
			clean[i] = '_'
		}
	}
	return string(clean)
}

// running returns the numbers of all processes, in order.
func running(proc string) ([]int, error) {
	d, err := os.Open(proc)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}
