package kernel_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

// A module that is built into the kernel has its types there; one that is not
// there at all is another thing than a type that a module lacks.
func TestTypesOfModules(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	typ, err := k.Type("struct", "builtin", "task_struct")
	if err != nil || typ.Size() != 128 {
		t.Errorf("builtin`task_struct: got %v, %v", typ, err)
	}
	_, err = k.Type("struct", "absent", "nosuch_thing")
	if errors.Is(err, kernel.ErrNoType) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent`nosuch_thing: got %v, want that the module is not there", err)
	}
	if _, err = k.Type("struct", "vmlinux", "nosuch_thing"); !errors.Is(err, kernel.ErrNoType) {
		t.Errorf("vmlinux`nosuch_thing: got %v, want ErrNoType", err)
	}
}

// Where a kernel lists no variables, whoever asks for one is told so.
func TestUnlistedVariables(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	_, err := k.Symbol("", "jiffies")
	var hint interface{ Hint() string }
	if !errors.Is(err, kernel.ErrNoSymbol) || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "CONFIG_KALLSYMS_ALL") {
		t.Errorf("jiffies: got %v", err)
	}
}
