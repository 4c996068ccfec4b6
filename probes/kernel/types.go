package kernel

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/cilium/ebpf/btf"

	dtypes "dscope.dev/dlang/types"
)

// What is asked for and is not there.
var (
	ErrNoType   = errors.New("no such type")
	ErrNoSymbol = errors.New("no such symbol")
)

// A key names a type that was asked for.
type key struct{ kind, module, name string }

// types is the cache of converted types. Conversion is shallow: the members
// of a struct are converted when somebody first asks what is inside, so that
// the graph of task_struct, which is half of the kernel, stays where it is.
type types struct {
	mu    sync.Mutex
	done  map[btf.Type]dtypes.Type
	named map[key]dtypes.Type // nil for what is known not to exist
	enums map[string]enumerator

	promised map[key]*dtypes.Struct // named but perhaps not looked up yet
}

type enumerator struct {
	value int64
	typ   dtypes.Type // nil if there is no such name
}

func (c *types) init() {
	c.done = map[btf.Type]dtypes.Type{}
	c.named = map[key]dtypes.Type{}
	c.enums = map[string]enumerator{}
	c.promised = map[key]*dtypes.Struct{}
}

// Type finds a type by its kind (struct, union, enum or typedef) and name. An
// empty module means vmlinux, then each module. The error wraps ErrNoType if
// there is none, or is a *Missing if the kernel tells no types at all.
func (k *Kernel) Type(kind, module, name string) (dtypes.Type, error) {
	at := key{kind, module, name}
	k.types.mu.Lock()
	t, ok := k.types.named[at]
	k.types.mu.Unlock()
	if !ok {
		found, err := k.findType(at)
		if err != nil && !errors.Is(err, ErrNoType) {
			return nil, err
		}
		t = found
		k.types.mu.Lock()
		k.types.named[at] = t
		k.types.mu.Unlock()
	}
	if t == nil {
		return nil, fmt.Errorf("%s %s: %w", kind, name, ErrNoType)
	}
	return t, nil
}

// builtin looks for a type of a module that is no file of its own, because it is
// built into the kernel: then its types are in vmlinux.
func (k *Kernel) builtin(at key, why error) (dtypes.Type, error) {
	base, err := k.vmlinux()
	if err != nil || !errors.Is(why, fs.ErrNotExist) {
		return nil, why
	}
	if t, full := pick(base, at.kind, at.name); full {
		return k.Convert(t), nil
	}
	return nil, why
}

// findType looks into vmlinux and, if no module was named, into the modules
// too. A definition beats a forward declaration. What a module has in common with
// vmlinux is told of there alone, so that is where it is looked for at last.
func (k *Kernel) findType(at key) (dtypes.Type, error) {
	where := []string{at.module}
	if at.module == "" {
		where = append(where, k.Modules()...)
	} else {
		where = append(where, "")
	}
	var forward btf.Type
	for _, m := range where {
		spec, err := k.moduleBTF(m)
		if err != nil {
			if m != at.module {
				continue // one module without types does not hide the rest
			}
			return k.builtin(at, err)
		}
		t, full := pick(spec, at.kind, at.name)
		if full {
			return k.Convert(t), nil
		}
		if forward == nil {
			forward = t
		}
	}
	if forward == nil {
		return nil, ErrNoType
	}
	return k.Convert(forward), nil
}

// pick returns the type of that kind and name; full is false for a forward
// declaration, or if there is none.
func pick(spec *btf.Spec, kind, name string) (t btf.Type, full bool) {
	found, err := spec.AnyTypesByName(name)
	if err != nil {
		return nil, false
	}
	for _, f := range found {
		switch f := f.(type) {
		case *btf.Struct:
			full = kind == "struct"
		case *btf.Union:
			full = kind == "union"
		case *btf.Enum:
			full = kind == "enum"
		case *btf.Typedef:
			full = kind == "typedef"
		case *btf.Fwd:
			if kind == "struct" && f.Kind == btf.FwdStruct || kind == "union" && f.Kind == btf.FwdUnion {
				t = f
			}
		}
		if full {
			return f, true
		}
	}
	return t, false
}

// Enumerator finds a constant of one of vmlinux's enumerations.
func (k *Kernel) Enumerator(name string) (value int64, t dtypes.Type, ok bool) {
	k.types.mu.Lock()
	e, known := k.types.enums[name]
	k.types.mu.Unlock()
	if !known {
		e = k.findEnumerator(name)
		k.types.mu.Lock()
		k.types.enums[name] = e
		k.types.mu.Unlock()
	}
	return e.value, e.typ, e.typ != nil
}

func (k *Kernel) findEnumerator(name string) enumerator {
	spec, err := k.vmlinux()
	if err != nil {
		return enumerator{}
	}
	n, err := k.names()
	if err != nil {
		return enumerator{}
	}
	off, ok := n.raw.find(name)
	if !ok {
		return enumerator{}
	}
	i, ok := slices.BinarySearchFunc(n.enums, off, func(e enumName, off uint32) int { return int(e.off) - int(off) })
	if !ok {
		return enumerator{}
	}
	t, err := spec.TypeByID(n.enums[i].id)
	if err != nil {
		return enumerator{}
	}
	enum, ok := t.(*btf.Enum)
	if !ok {
		return enumerator{}
	}
	for _, v := range enum.Values {
		if v.Name == name {
			return enumerator{enumValue(enum, v.Value), k.Convert(enum)}
		}
	}
	return enumerator{}
}

// FuncProto returns the type of a function of the kernel and the names of its
// parameters.
func (k *Kernel) FuncProto(module, name string) (*dtypes.Func, []string, error) {
	spec, err := k.moduleBTF(module)
	if err != nil {
		return nil, nil, err
	}
	var f *btf.Func
	if err := spec.TypeByName(name, &f); err != nil {
		return nil, nil, fmt.Errorf("function %s: %w", name, ErrNoType)
	}
	proto, ok := f.Type.(*btf.FuncProto)
	if !ok {
		return nil, nil, fmt.Errorf("function %s: %w", name, ErrNoType)
	}
	names := make([]string, len(proto.Params))
	for i, p := range proto.Params {
		names[i] = p.Name
	}
	d, ok := k.Convert(proto).(*dtypes.Func)
	if !ok {
		return nil, nil, fmt.Errorf("function %s: %w", name, ErrNoType)
	}
	return d, names, nil
}
