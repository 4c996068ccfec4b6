package resolver

import (
	"encoding/binary"
	"errors"
	"os"
	"path"
	"strings"

	exe "dscope.dev/probes/binary"
)

// mostOpened is how many files a question may ask for besides its own.
const mostOpened = 16

// debugDir is where distributions put debug information.
const debugDir = "/usr/lib/debug"

// openFor opens a file that a worker asks for: one of ELF that lies where the debug information of f
// may. A worker that has been taken over asks for what it likes; so it gets no core, which
// is of ELF too, and has memory of a process in it.
func openFor(f File, name string) (*os.File, error) {
	if !mayLie(f.Name, name) {
		return nil, errors.New("no debug information lies there")
	}
	file, err := exe.Root{Dir: f.Root}.OpenFile(path.Clean(name))
	if err != nil {
		return nil, err
	}
	if !isELF(file) {
		file.Close()
		return nil, errors.New("it is no file of debug information")
	}
	return file, nil
}

// mayLie reports whether debug information of the file of a path may lie at another.
func mayLie(of, name string) bool {
	name = path.Clean(name)
	if !path.IsAbs(name) {
		return false
	}
	if strings.HasPrefix(name, debugDir+"/") {
		return true
	}
	dir := path.Dir(path.Clean("/" + strings.TrimSuffix(of, " (deleted)")))
	return of != "" && (path.Dir(name) == dir || path.Dir(name) == path.Join(dir, ".debug"))
}

// isELF looks at the first bytes of a file.
func isELF(f *os.File) bool {
	const typeAt, core = 16, 4
	var b [typeAt + 2]byte
	if _, err := f.ReadAt(b[:], 0); err != nil || string(b[:4]) != "\x7fELF" {
		return false
	}
	return binary.LittleEndian.Uint16(b[typeAt:]) != core && binary.BigEndian.Uint16(b[typeAt:]) != core
}
