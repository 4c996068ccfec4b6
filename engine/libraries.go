package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/options"
	"dscope.dev/probes"
)

// libraries reads the libraries of -L and -x libdir. A folder that does not
// exist has none, as in dtrace(1).
func (e *Engine) libraries(ctx context.Context, o *options.Options) (*lib.Index, error) {
	if len(o.LibDirs) == 0 {
		return nil, nil
	}
	var files []lib.File
	for _, dir := range o.LibDirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !strings.HasSuffix(entry.Name(), ".d") {
				continue
			}
			path := filepath.Join(dir, entry.Name())
			text, err := readLibrary(path)
			if errors.Is(err, errNoFile) {
				continue
			}
			if err != nil {
				return nil, err
			}
			files = append(files, lib.File{Path: path, Text: string(text)})
		}
	}
	return lib.Load(files, func(class, name string) bool { return e.has(ctx, class, name) })
}

// maxLibrary is the size of a library in bytes.
const maxLibrary = 16 << 20

// errNoFile is for what lies in a folder of libraries and is no file: as folders are, it
// is passed over.
var errNoFile = errors.New("it is no regular file")

// readLibrary reads a file of a folder of libraries. A pipe of such a name would keep us
// for ever.
func readLibrary(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket
		return nil, errNoFile
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	text, err := io.ReadAll(io.LimitReader(f, maxLibrary+1))
	if err == nil && len(text) > maxLibrary {
		err = fmt.Errorf("library %s has more than %d bytes", path, maxLibrary)
	}
	return text, err
}

// has reports whether a module or provider is there.
func (e *Engine) has(ctx context.Context, class, name string) bool {
	if class == "module" {
		return e.machine.Kernel.HasModule(name)
	}
	entries, err := e.registry.Match(ctx, probes.Pattern{Provider: name})
	return err == nil && len(entries) > 0
}

// LibraryOrder lists the libraries of the user, each before those that it
// depends on.
func (e *Engine) LibraryOrder(ctx context.Context, o options.Options) ([]string, error) {
	x, err := e.libraries(ctx, &o)
	if err != nil || x == nil {
		return nil, err
	}
	return x.Order(), nil
}

// libraryTrouble says that the libraries of the user cannot be used.
func libraryTrouble(err error) *diag.Diagnostic {
	d := &diag.Diagnostic{At: token.Span{From: 1, To: 1}, Code: diag.PragmaDepend, Msg: err.Error()}
	var t *lib.Trouble
	if !errors.As(err, &t) {
		d.Code, d.Hint = diag.Unsupported, "look at the folders of -L and -x libdir"
	}
	return d
}
