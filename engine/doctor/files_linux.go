package doctor

import (
	"errors"
	"fmt"
	"io/fs"

	"dscope.dev/probes/kernel"
	"dscope.dev/probes/resolver"
)

// readers is what reads the files of processes.
func readers() Finding {
	f := Finding{Name: "sandbox", Use: "files of processes are read by a process that has no privileges"}
	walls, used, err := resolver.State()
	switch {
	case used:
		f.OK, f.More = true, walls
	case err != nil:
		f.Why = err.Error()
		f.Remedy = "none is needed to trace; it takes a kernel with CONFIG_SECCOMP_FILTER, and a container that lets processes filter themselves"
	default:
		f.Why, f.Remedy = "this program starts none", "none is needed to trace"
	}
	return f
}

// files are what lies on disk and makes more possible.
func files(k *kernel.Kernel) []Finding {
	f := Finding{Name: "debug information", Use: "inlined functions of the kernel: kinst::inlined:entry, and their frames in stack()"}
	image, err := k.Image("vmlinux")
	if err != nil {
		f.Why, f.Remedy = reason(err)
		looked := k.ImagePaths("vmlinux")
		if errors.Is(err, fs.ErrNotExist) {
			f.Why = fmt.Sprintf("vmlinux of this kernel is in none of %d places; -v lists them", len(looked))
		}
		for _, path := range looked {
			f.More = append(f.More, "looked for "+path)
		}
		return []Finding{f}
	}
	f.OK = true
	f.More = append(f.More, image.Path)
	loaded, err := k.Loaded()
	if err != nil {
		return []Finding{f}
	}
	for _, m := range loaded {
		if image, err := k.Image(m); err == nil {
			f.More = append(f.More, image.Path)
		} else {
			f.More = append(f.More, "none of module "+m)
		}
	}
	return []Finding{f}
}
