package load

import (
	"fmt"
	"os"
	"strings"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Extend loads the programs of an extension, which use the maps of the script.
func (k *Loaded) Extend(x *plan.Extension) (*ebpf.Collection, error) {
	own := map[string]*ebpf.Map{}
	for name := range x.Object.Spec.Maps {
		if x.Object.Private(name) {
			continue
		}
		m := k.coll.Maps[name]
		if m == nil {
			return nil, fmt.Errorf("internal error: the run has no map %s", name)
		}
		own[name] = m
	}
	coll, err := ebpf.NewCollectionWithOptions(x.Object.Spec, ebpf.CollectionOptions{MapReplacements: own, Cache: k.types})
	if err != nil {
		again := *k.c
		again.Object = x.Object
		return nil, Refused(err, &again)
	}
	return coll, nil
}

// Adopt makes the programs of an extension those of the run.
func (k *Loaded) Adopt(coll *ebpf.Collection) { k.added = append(k.added, coll) }

// Extensions returns how many there are.
func (k *Loaded) Extensions() int { return len(k.added) }

// AttachLate attaches one program to all that a unit of an extension has.
func (k *Loaded) AttachLate(prog *ebpf.Program, u *codegen.Unit, missing map[probes.Hook]error) (how string, err error) {
	var links attach.Group
	if u.Hook.Kind == probes.Function {
		links, how, err = k.attachFunctions(prog, u, missing)
	} else {
		links, how, err = k.attachUser(prog, u, missing)
	}
	k.links = append(k.links, links...)
	return how, err
}

// KeepFiles has holdFile keep files open from now on.
func (k *Loaded) KeepFiles() { k.files = attach.Files{} }

// HoldFile opens a file that may not be found any more when its places are to be probed.
func (k *Loaded) HoldFile(path string) error {
	if k.files[path] != nil || !strings.HasPrefix(path, "/proc/") {
		return nil
	}
	file, err := os.OpenFile(path, unix.O_PATH, 0)
	if err == nil {
		k.files[path] = file
	}
	return err
}

// ReleaseFiles closes them.
func (k *Loaded) ReleaseFiles() { k.files.Close() }
