package kernel

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// debugDir is where distributions put debug information.
const debugDir = "/usr/lib/debug"

// ImagePaths lists where the file with the debug information of a module is looked
// for, or of vmlinux, as other tools look for it.
func (k *Kernel) ImagePaths(module string) []string {
	var list []string
	if id := k.BuildID(module); len(id) > 2 {
		list = append(list, debugDir+"/.build-id/"+id[:2]+"/"+id[2:]+".debug")
	}
	facts, err := k.Facts()
	if err != nil {
		return list
	}
	modules := "/lib/modules/" + facts.Release
	if module == vmlinux {
		return append(list,
			debugDir+"/boot/vmlinux-"+facts.Release,
			debugDir+modules+"/vmlinux",
			debugDir+"/vmlinux-"+facts.Release,
			debugDir+modules+"/build/vmlinux",
			modules+"/build/vmlinux",
			modules+"/vmlinux",
			"/boot/vmlinux-"+facts.Release)
	}
	file := k.moduleFile(modules, module)
	if file == "" {
		return list
	}
	return append(list, debugDir+modules+"/"+file, debugDir+modules+"/"+file+".debug",
		debugDir+"/usr"+modules+"/"+file+".debug", modules+"/"+file)
}

// moduleFile finds where below the folder of modules one lies, from the list that
// depmod makes. It is told without what it may be packed with: name.ko.
func (k *Kernel) moduleFile(dir, module string) string {
	f, err := k.roots.Files.OpenFile(dir + "/modules.dep")
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 16 << 20 // bytes; real ones have some hundred thousand
	lines := bufio.NewScanner(io.LimitReader(f, most))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		file, _, _ := strings.Cut(lines.Text(), ":")
		before, _, ok := strings.Cut(path.Base(file), ".ko")
		if ok && strings.ReplaceAll(before, "-", "_") == module && !strings.Contains(file, "..") {
			return path.Join(path.Dir(file), before+".ko")
		}
	}
	return ""
}

// noImage says that an image is not there, or why the last that is there is of no use.
func (k *Kernel) noImage(module string, places []string, wrong error) *Missing {
	m := &Missing{What: "debug information of " + module, Err: wrong}
	if m.Err == nil {
		m.Err = fs.ErrNotExist
	}
	m.Why = "none of these is there: " + strings.Join(places, ", ")
	if wrong != nil {
		m.Why = wrong.Error()
	}
	release := "RELEASE"
	if facts, err := k.Facts(); err == nil {
		release = facts.Release
	}
	m.Remedy = fmt.Sprintf("install it: apt-get install linux-image-%s-dbg; dnf debuginfo-install kernel", release)
	if module == vmlinux {
		m.Remedy += "; or name the file: -x vmlinux=PATH"
	}
	return m
}

// BuildID returns the build id of vmlinux or of a module that is loaded, in
// hexadecimal, or "" if the kernel does not tell.
func (k *Kernel) BuildID(module string) string {
	file := "kernel/notes"
	if module != vmlinux {
		file = "module/" + module + "/notes/.note.gnu.build-id"
	}
	notes, err := fs.ReadFile(k.roots.Sys, file)
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
			return fmt.Sprintf("%x", notes[head+name:head+name+desc])
		}
		notes = notes[end:]
	}
	return ""
}
