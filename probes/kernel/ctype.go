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
// that they do not tell is an error.
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
		t, err := k.Type(words[0], "", words[1])
		if err == nil {
			return t, nil
		}
		switch words[0] {
		case "struct", "union":
			return dtypes.NewStruct(words[0] == "union", words[1], nil), nil
		case "enum":
			return &dtypes.Enum{Tag: words[1], Bytes: 4}, nil
		}
		return nil, err
	}
	if t, err := k.Type("typedef", "", name); err == nil {
		return t, nil
	}
	if t := commonTypedef(name); t != nil {
		return t, nil
	}
	return nil, ErrNoType
}

// commonTypedef gives the types that system calls take, for kernels that tell
// no types of their own. They are the same on all 64-bit machines.
func commonTypedef(name string) dtypes.Type {
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
	case "sigset_t":
		under = dtypes.NewStruct(false, "", nil)
	case "fd_set", "stack_t", "siginfo_t":
		under = dtypes.NewStruct(false, "", nil)
	case "cap_user_header_t":
		under = &dtypes.Pointer{Elem: dtypes.NewStruct(false, "__user_cap_header_struct", nil)}
	case "cap_user_data_t":
		under = &dtypes.Pointer{Elem: dtypes.NewStruct(false, "__user_cap_data_struct", nil)}
	default:
		return nil
	}
	return &dtypes.Typedef{Name: name, Under: under}
}
