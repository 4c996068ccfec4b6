package doctor

import (
	"encoding/binary"
	"encoding/hex"
	"os"

	"dscope.dev/probes/kernel"
)

// files are what lies on disk and makes more possible.
func files(k *kernel.Kernel) []Finding {
	facts, err := k.Facts()
	if err != nil {
		return nil
	}
	f := Finding{Name: "debug information", Use: "inlined functions and lines of the kernel"}
	looked := vmlinuxPaths(facts.Release)
	for _, path := range looked {
		if _, err := os.Stat(path); err == nil {
			f.OK = true
			f.More = append(f.More, path)
		}
	}
	if !f.OK {
		f.Why = "there is no vmlinux with debug information for this kernel"
		f.Remedy = "install it: apt-get install linux-image-" + facts.Release + "-dbg; dnf debuginfo-install kernel"
		for _, path := range looked {
			f.More = append(f.More, "looked for "+path)
		}
	}
	return []Finding{f}
}

// vmlinuxPaths are where distributions put vmlinux with debug information.
func vmlinuxPaths(release string) []string {
	paths := []string{
		"/usr/lib/debug/boot/vmlinux-" + release,
		"/usr/lib/debug/lib/modules/" + release + "/vmlinux",
		"/usr/lib/debug/lib/modules/" + release + "/build/vmlinux",
		"/lib/modules/" + release + "/build/vmlinux",
		"/boot/vmlinux-" + release,
	}
	if id := buildID(); len(id) > 2 {
		paths = append(paths, "/usr/lib/debug/.build-id/"+id[:2]+"/"+id[2:]+".debug")
	}
	return paths
}

// buildID returns the build id of the kernel that runs, or "".
func buildID() string {
	notes, err := os.ReadFile("/sys/kernel/notes")
	if err != nil {
		return ""
	}
	return noteID(notes)
}

// noteID finds NT_GNU_BUILD_ID among ELF notes. Each has the lengths of its name
// and data and its type, and both are padded to four bytes.
func noteID(notes []byte) string {
	const head, gnuBuildID = 12, 3
	for len(notes) >= head {
		name := int(binary.NativeEndian.Uint32(notes)+3) &^ 3
		desc := int(binary.NativeEndian.Uint32(notes[4:]))
		kind := binary.NativeEndian.Uint32(notes[8:])
		end := head + name + (desc+3)&^3
		if name < 0 || desc < 0 || end > len(notes) || end < head {
			return ""
		}
		if kind == gnuBuildID && string(notes[head:head+name]) == "GNU\x00" {
			return hex.EncodeToString(notes[head+name : head+name+desc])
		}
		notes = notes[end:]
	}
	return ""
}
