package kernel

import (
	"fmt"
	"strings"

	dtypes "dscope.dev/dlang/types"
)

// CType reads a type as the kernel spells it in format files, which is C
// without declarators: qualifiers, one name, stars.
//
//	const struct __kernel_timespec *
//
// A struct that the kernel's types do not tell is incomplete; another name
// that they do not tell is an error. Few types read BTF before somebody asks
// what is inside them, for a trace of a system call should not wait for it.
func (k *Kernel) CType(text string) (dtypes.Type, error) {
	var words []string
	stars := 0
	for _, w := range strings.Fields(strings.ReplaceAll(text, "*", " * ")) {
		switch w {
		case "const", "volatile", "restrict", "__user", "__rcu", "__restrict":
		case "*":
			stars++
		default:
			words = append(words, w)
		}
	}
	t, err := k.namedType(words)
	if err != nil {
		return nil, fmt.Errorf("type %q: %w", text, err)
	}
	for range stars {
		t = &dtypes.Pointer{Elem: t}
	}
	return t, nil
}

func (k *Kernel) namedType(words []string) (dtypes.Type, error) {
	name := strings.Join(words, " ")
	if name == "void" {
		return dtypes.VoidType, nil
	}
	if t := spelling(name); t != nil {
		return t, nil
	}
	if len(words) == 2 {
		switch words[0] {
		case "struct", "union":
			return k.promise(key{words[0], "", words[1]}), nil
		case "enum":
			if t, err := k.Type("enum", "", words[1]); err == nil {
				return t, nil
			}
			return &dtypes.Enum{Tag: words[1], Bytes: 4}, nil
		}
	}
	if t := k.commonTypedef(name); t != nil {
		return t, nil
	}
	return k.Type("typedef", "", name)
}

// Struct returns a struct of the kernel that is looked up when somebody asks
// what is inside, so that to name it costs nothing. If there is none, or the
// kernel tells no types, it is incomplete.
func (k *Kernel) Struct(tag string) *dtypes.Struct {
	return k.promise(key{"struct", "", tag})
}

// promise returns a struct that is looked up when somebody asks what is
// inside, so that to name it reads nothing. It is the same each time.
func (k *Kernel) promise(at key) *dtypes.Struct {
	k.types.mu.Lock()
	defer k.types.mu.Unlock()
	p := k.types.promised[at]
	if p == nil {
		p = k.newPromise(at)
		k.types.promised[at] = p
	}
	return p
}

func (k *Kernel) newPromise(at key) *dtypes.Struct {
	tag := at.name
	if at.kind == "typedef" {
		tag = ""
	}
	return dtypes.NewStruct(at.kind == "union", tag, func(s *dtypes.Struct) {
		t, err := k.Type(at.kind, at.module, at.name)
		if err != nil {
			return
		}
		if def, ok := dtypes.Resolve(t).(*dtypes.Struct); ok && def.Complete() {
			s.SetFields(def.Fields(), def.Size(), def.Align())
		}
	})
}

// commonTypedef gives the names that system calls use, without reading the
// kernel's types. They mean the same on all 64-bit machines.
func (k *Kernel) commonTypedef(name string) dtypes.Type {
	var under dtypes.Type
	switch name {
	case "size_t", "u64", "__u64", "aio_context_t":
		under = dtypes.ULong
	case "loff_t", "off_t", "__kernel_old_time_t":
		under = dtypes.Long
	case "u32", "__u32", "uid_t", "gid_t", "qid_t":
		under = dtypes.UInt
	case "pid_t", "key_t", "clockid_t", "timer_t", "mqd_t", "key_serial_t", "rwf_t", "__s32":
		under = dtypes.IntType
	case "umode_t":
		under = dtypes.UShort
	case "sigset_t", "fd_set", "stack_t", "siginfo_t":
		under = k.promise(key{"typedef", "", name})
	case "cap_user_header_t":
		under = &dtypes.Pointer{Elem: k.promise(key{"struct", "", "__user_cap_header_struct"})}
	case "cap_user_data_t":
		under = &dtypes.Pointer{Elem: k.promise(key{"struct", "", "__user_cap_data_struct"})}
	default:
		return nil
	}
	return &dtypes.Typedef{Name: name, Under: under}
}
