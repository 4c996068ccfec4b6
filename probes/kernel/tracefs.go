package kernel

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
)

// readTracing reads a file of tracefs. An error says what the file would have told.
func (k *Kernel) readTracing(file, what string) ([]byte, error) {
	tracing, err := k.tracing()
	if err != nil {
		return nil, err
	}
	data, err := readFile(tracing, file)
	if err != nil {
		m := &Missing{What: what, Why: err.Error(), Err: err}
		if errors.Is(err, fs.ErrPermission) {
			m.Remedy = "run as root or with CAP_DAC_READ_SEARCH"
		}
		return nil, m
	}
	return data, nil
}

// usualRoom is as much as most files of tracefs hold. None tells its size, and each
// read has the kernel begin its list anew.
const usualRoom = 64 << 10

func readFile(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(usualRoom)
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// inOrder compares what is listed module by module, the kernel itself first.
func inOrder(module, name, module2, name2 string) int {
	switch {
	case module == module2:
		return cmp.Compare(name, name2)
	case module == vmlinux:
		return -1
	case module2 == vmlinux:
		return 1
	}
	return cmp.Compare(module, module2)
}
