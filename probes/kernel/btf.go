package kernel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/cilium/ebpf/btf"
)

// BTF is read twice over. The library decodes types, one at a time as they are
// asked for; but it indexes the names of types only. The names of enumerators,
// and of all tracepoints, are found here by a walk over the raw file:
//
//	header  magic u16, version u8, flags u8, hdr_len u32,
//	        type_off u32, type_len u32, str_off u32, str_len u32
//	types   name_off u32, info u32, size or type u32, then what the kind adds
//	strings zero-terminated, the first empty
//
// Offsets of the sections count from the end of the header.

const btfDir = "kernel/btf"

// modules holds the BTF of the loaded modules, each read when asked for.
type modules struct {
	mu    sync.Mutex
	specs map[string]*module
}

type module struct {
	once sync.Once
	spec *btf.Spec
	err  error
}

// Types returns what the library is to know the types of the running kernel from; nil if the
// kernel is another one.
func (k *Kernel) Types() *btf.Cache { return k.roots.Types }

// BTF returns the types of vmlinux.
func (k *Kernel) BTF() (*btf.Spec, error) { return k.vmlinux() }

func (k *Kernel) loadVmlinux() (*btf.Spec, error) {
	var spec *btf.Spec
	var err error
	if k.roots.Types != nil {
		spec, err = k.roots.Types.Kernel()
	} else {
		var raw []byte
		if raw, err = fs.ReadFile(k.roots.Sys, btfDir+"/vmlinux"); err == nil {
			spec, err = btf.LoadSpecFromReader(bytes.NewReader(raw))
		}
	}
	if err == nil {
		return spec, nil
	}
	m := &Missing{What: "kernel types", Why: err.Error(), Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, btf.ErrNotSupported):
		m.Why = "there is no /sys/kernel/btf/vmlinux"
		m.Remedy = "use a kernel built with CONFIG_DEBUG_INFO_BTF=y"
	case errors.Is(err, fs.ErrPermission):
		m.Remedy = "run as root"
	default:
		m.Remedy = "the BTF of this kernel is damaged; check that it was built with a current pahole"
	}
	return nil, m
}

// Modules lists the loaded modules that have types of their own, in order.
func (k *Kernel) Modules() []string {
	entries, err := fs.ReadDir(k.roots.Sys, btfDir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.Name() != "vmlinux" {
			list = append(list, e.Name())
		}
	}
	slices.Sort(list)
	return list
}

// HasModule reports whether a module is loaded or built in; vmlinux is the kernel
// itself.
func (k *Kernel) HasModule(name string) bool {
	if name == "vmlinux" {
		return true
	}
	if !fs.ValidPath(name) || name == "." {
		return false
	}
	_, err := fs.Stat(k.roots.Sys, "module/"+name)
	return err == nil
}

// moduleBTF returns the types that a module adds to vmlinux's.
func (k *Kernel) moduleBTF(name string) (*btf.Spec, error) {
	base, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	if name == "" || name == "vmlinux" {
		return base, nil
	}
	k.mods.mu.Lock()
	m := k.mods.specs[name]
	if m == nil {
		m = &module{}
		k.mods.specs[name] = m
	}
	k.mods.mu.Unlock()
	m.once.Do(func() {
		raw, err := fs.ReadFile(k.roots.Sys, btfDir+"/"+name)
		if err != nil {
			m.err = &Missing{
				What: "types of module " + name, Why: err.Error(), Err: err,
				Remedy: "see that it is loaded and was built with CONFIG_DEBUG_INFO_BTF_MODULES=y",
			}
			return
		}
		m.spec, m.err = btf.LoadSplitSpecFromReader(bytes.NewReader(raw), base)
	})
	return m.spec, m.err
}

// A rawBTF is a BTF file cut into its sections.
type rawBTF struct {
	order   binary.ByteOrder
	types   []byte
	strings []byte
}

var errNotBTF = errors.New("not a BTF file")

// cutBTF finds the sections of a BTF file.
func cutBTF(data []byte) (rawBTF, error) {
	if len(data) < 24 {
		return rawBTF{}, errNotBTF
	}
	var r rawBTF
	switch {
	case data[0] == 0x9f && data[1] == 0xeb:
		r.order = binary.LittleEndian
	case data[0] == 0xeb && data[1] == 0x9f:
		r.order = binary.BigEndian
	default:
		return rawBTF{}, errNotBTF
	}
	word := func(at int) uint64 { return uint64(r.order.Uint32(data[at:])) }
	head, typeOff, typeLen, strOff, strLen := word(4), word(8), word(12), word(16), word(20)
	size := uint64(len(data))
	if head < 24 || head+typeOff+typeLen > size || head+strOff+strLen > size {
		return rawBTF{}, fmt.Errorf("%w: its sections lie outside of it", errNotBTF)
	}
	r.types = data[head+typeOff:][:typeLen]
	r.strings = data[head+strOff:][:strLen]
	return r, nil
}

// The kinds of BTF that are told apart here.
const (
	kindInt       = 1
	kindArray     = 3
	kindStruct    = 4
	kindUnion     = 5
	kindEnum      = 6
	kindFuncProto = 13
	kindVar       = 14
	kindDatasec   = 15
	kindDeclTag   = 17
	kindEnum64    = 19
)

// eachEnumerator calls f with the place of the name of every enumerator in
// the string section, and the number of its enumeration, which counts from
// first.
func (r rawBTF) eachEnumerator(first uint32, f func(name, id uint32)) error {
	id := first
	for at := 0; at < len(r.types); id++ {
		if at+12 > len(r.types) {
			return fmt.Errorf("%w: it ends within a type", errNotBTF)
		}
		info := r.order.Uint32(r.types[at+4:])
		kind, vlen := info>>24&0x1f, int(info&0xffff)
		at += 12
		step := 0
		switch kind {
		case kindInt, kindVar, kindDeclTag:
			step, vlen = 4, 1
		case kindArray:
			step, vlen = 12, 1
		case kindStruct, kindUnion, kindDatasec, kindEnum64:
			step = 12
		case kindEnum, kindFuncProto:
			step = 8
		default:
			vlen = 0
		}
		end := at + step*vlen
		if end > len(r.types) {
			return fmt.Errorf("%w: it ends within a type", errNotBTF)
		}
		if kind == kindEnum || kind == kindEnum64 {
			for ; at < end; at += step {
				f(r.order.Uint32(r.types[at:]), id)
			}
		}
		at = end
	}
	return nil
}

// find returns the offset of s, or false if no string is just that.
func (r rawBTF) find(s string) (uint32, bool) {
	i := bytes.Index(r.strings, []byte("\x00"+s+"\x00"))
	return uint32(i + 1), i >= 0
}

// prefixed calls f with what follows prefix in every string that begins with it. The
// zero before it is looked at last: where it is searched for, each string holds up.
func (r rawBTF) prefixed(prefix string, f func(rest string)) {
	p := []byte(prefix)
	for at := 0; ; {
		i := bytes.Index(r.strings[at:], p)
		if i < 0 {
			return
		}
		from := at + i
		at = from + len(p)
		end := bytes.IndexByte(r.strings[at:], 0)
		if end < 0 {
			return
		}
		if from > 0 && r.strings[from-1] == 0 {
			f(string(r.strings[at : at+end]))
		}
		at += end
	}
}

// names is what the raw file of vmlinux tells.
type names struct {
	raw   rawBTF // strings only
	enums []enumName
}

// An enumName is one enumerator: the place of its name, and its enumeration.
type enumName struct {
	off uint32
	id  btf.TypeID
}

// loadNames indexes the enumerators of vmlinux. It keeps the strings and lets
// the rest of the file go.
func (k *Kernel) loadNames() (*names, error) {
	raw, err := k.readBTF("vmlinux")
	if err != nil {
		return nil, err
	}
	n := &names{}
	err = raw.eachEnumerator(1, func(off, id uint32) {
		n.enums = append(n.enums, enumName{off, btf.TypeID(id)})
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(n.enums, func(a, b enumName) int { return int(a.off) - int(b.off) })
	n.enums = slices.Clip(n.enums)
	n.raw = rawBTF{order: raw.order, strings: bytes.Clone(raw.strings)}
	return n, nil
}

func (k *Kernel) readBTF(module string) (rawBTF, error) {
	data, err := fs.ReadFile(k.roots.Sys, btfDir+"/"+module)
	if err != nil {
		return rawBTF{}, err
	}
	return cutBTF(data)
}
