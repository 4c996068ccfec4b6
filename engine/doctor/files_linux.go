package doctor

import (
	"errors"
	"fmt"
	"io/fs"

	"dscope.dev/probes/kernel"
)

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
