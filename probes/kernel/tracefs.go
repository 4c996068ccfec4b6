package kernel

import (
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
	data, err := fs.ReadFile(tracing, file)
	if err != nil {
		m := &Missing{What: what, Why: err.Error(), Err: err}
		if errors.Is(err, fs.ErrPermission) {
			m.Remedy = "run as root or with CAP_DAC_READ_SEARCH"
		}
		return nil, m
	}
	return data, nil
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
