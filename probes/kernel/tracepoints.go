package kernel

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cilium/ebpf/btf"

	dtypes "dscope.dev/dlang/types"
)

// tracepointPrefix begins the names of the typedefs by which BTF tells the
// tracepoints: typedef void (*btf_trace_NAME)(void *, …). The first parameter
// is the kernel's own and no argument.
const tracepointPrefix = "btf_trace_"

// A Tracepoint is a tracepoint by its own name, which is not always that of
// the event that hangs on it.
type Tracepoint struct{ Module, Name string }

// A Param is one argument of a tracepoint or function.
type Param struct {
	Name string // "" if the kernel does not tell
	Type dtypes.Type
}

// points are the tracepoints, sorted, and the modules that define some.
type points struct {
	list    []Tracepoint
	modules []string
}

// find returns the module that defines a tracepoint.
func (p *points) find(name string) (module string, ok bool) {
	for _, m := range p.modules {
		_, ok := slices.BinarySearchFunc(p.list, name, func(t Tracepoint, name string) int { return inOrder(t.Module, t.Name, m, name) })
		if ok {
			return m, true
		}
	}
	return "", false
}

// usualPoints is somewhat more than a kernel has of tracepoints.
const usualPoints = 2048

// Tracepoints lists every tracepoint that BTF tells, by module and name. It
// needs the names alone, and decodes no type.
func (k *Kernel) Tracepoints() ([]Tracepoint, error) {
	p, err := k.points()
	if err != nil {
		return nil, err
	}
	return p.list, nil
}

func (k *Kernel) loadPoints() (*points, error) {
	p := &points{list: make([]Tracepoint, 0, usualPoints)}
	for _, m := range append([]string{"vmlinux"}, k.Modules()...) {
		text, release, err := k.stringsOf(m)
		if err != nil {
			if m == "vmlinux" {
				_, missing := k.vmlinux() // which says it with the remedy
				if missing != nil {
					err = missing
				}
				return nil, err
			}
			continue // one module without types does not hide the rest
		}
		before := len(p.list)
		text.prefixed(tracepointPrefix, func(name string) {
			if _, twice := p.find(name); !twice { // by a module before
				p.list = append(p.list, Tracepoint{m, name})
			}
		})
		release()
		slices.SortFunc(p.list[before:], func(a, b Tracepoint) int { return strings.Compare(a.Name, b.Name) })
		p.modules = append(p.modules, m)
	}
	p.list = slices.Clip(p.list)
	return p, nil
}

// stringsOf reads only the strings of a BTF file. They are good until release is
// called.
func (k *Kernel) stringsOf(module string) (text rawBTF, release func(), err error) {
	f, err := k.roots.Sys.Open(btfDir + "/" + module)
	if err != nil {
		return rawBTF{}, nil, err
	}
	defer f.Close()
	return readStrings(f)
}

// readerAt is what a file offers that can be read in part.
type readerAt interface {
	ReadAt(p []byte, off int64) (int, error)
}

func readStrings(f fs.File) (text rawBTF, release func(), err error) {
	release = func() {}
	r, ok := f.(readerAt)
	info, err := f.Stat()
	if !ok || err != nil {
		text, err = wholeBTF(f)
		return text, release, err
	}
	head := make([]byte, 24)
	if _, err := r.ReadAt(head, 0); err != nil {
		return rawBTF{}, nil, fmt.Errorf("%w: it has no header", errNotBTF)
	}
	if head[0] != 0x9f { // big-endian, or not BTF: the slow way will tell
		text, err = wholeBTF(f)
		return text, release, err
	}
	le := func(at int) int64 {
		return int64(head[at]) | int64(head[at+1])<<8 | int64(head[at+2])<<16 | int64(head[at+3])<<24
	}
	off, size := le(4)+le(16), le(20)
	if off+size > info.Size() {
		return rawBTF{}, nil, fmt.Errorf("%w: its sections lie outside of it", errNotBTF)
	}
	if whole, unmap := mapFile(f, info.Size()); whole != nil {
		return rawBTF{strings: whole[off : off+size]}, unmap, nil
	}
	text.strings = make([]byte, size)
	_, err = r.ReadAt(text.strings, off)
	return text, release, err
}

func wholeBTF(f fs.File) (rawBTF, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return rawBTF{}, err
	}
	return cutBTF(data)
}

// ModuleOf returns the module that defines a tracepoint: vmlinux or a module.
func (k *Kernel) ModuleOf(tracepoint string) (string, bool) {
	p, err := k.points()
	if err != nil {
		return "", false
	}
	return p.find(tracepoint)
}

// Params returns the arguments of a tracepoint. The error wraps ErrNoType if
// BTF tells of no such tracepoint.
func (k *Kernel) Params(tracepoint string) ([]Param, error) {
	spec, err := k.moduleBTF("")
	if err != nil {
		return nil, err
	}
	proto, err := tracepointProto(spec, tracepoint)
	if err != nil {
		m, ok := k.ModuleOf(tracepoint)
		if !ok {
			return nil, fmt.Errorf("tracepoint %s: %w", tracepoint, ErrNoType)
		}
		if spec, err = k.moduleBTF(m); err != nil {
			return nil, err
		}
		if proto, err = tracepointProto(spec, tracepoint); err != nil {
			return nil, err
		}
	}
	names := paramNames(spec, tracepoint, len(proto.Params))
	params := make([]Param, 0, len(proto.Params)-1)
	for i, p := range proto.Params[1:] {
		params = append(params, Param{Name: names[i+1], Type: k.Convert(p.Type)})
	}
	return params, nil
}

// tracepointProto finds the function type behind btf_trace_NAME.
func tracepointProto(spec *btf.Spec, name string) (*btf.FuncProto, error) {
	var def *btf.Typedef
	if err := spec.TypeByName(tracepointPrefix+name, &def); err != nil {
		return nil, fmt.Errorf("tracepoint %s: %w", name, ErrNoType)
	}
	if ptr, ok := unqualify(def.Type).(*btf.Pointer); ok {
		if proto, ok := unqualify(ptr.Target).(*btf.FuncProto); ok && len(proto.Params) > 0 {
			return proto, nil
		}
	}
	return nil, fmt.Errorf("tracepoint %s: %s%s is no pointer to a function", name, tracepointPrefix, name)
}

// paramNames finds what the kernel's sources call the arguments. The typedef
// does not say, but the functions that the kernel makes for each tracepoint
// do: __probestub_ on newer kernels, __traceiter_ on all.
func paramNames(spec *btf.Spec, name string, n int) []string {
	names := make([]string, n)
	for _, prefix := range []string{"__probestub_", "__traceiter_"} {
		var f *btf.Func
		if spec.TypeByName(prefix+name, &f) != nil {
			continue
		}
		proto, ok := f.Type.(*btf.FuncProto)
		if !ok || len(proto.Params) != n {
			continue
		}
		for i, p := range proto.Params {
			names[i] = p.Name
		}
		break
	}
	return names
}
