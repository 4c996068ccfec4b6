package check

import "dscope.dev/dlang/types"

// typedefTable holds the type names that D knows without a kernel, after the
// guides: the names of stdint, and those that Solaris gave to DTrace.
var typedefTable = func() map[string]types.Type {
	m := map[string]types.Type{}
	for _, t := range []*types.Typedef{
		types.Int8, types.Int16, types.Int32, types.Int64,
		types.UInt8, types.UInt16, types.UInt32, types.UInt64,
	} {
		m[t.Name] = t
	}
	for under, names := range map[types.Type][]string{
		types.Long: {"intptr_t", "ssize_t", "ptrdiff_t", "off_t", "loff_t", "clock_t", "time_t", "suseconds_t",
			"longlong_t", "offset_t", "diskaddr_t", "hrtime_t", "daddr_t", "intmax_t"},
		types.ULong: {"uintptr_t", "size_t", "ulong_t", "u_longlong_t", "u_offset_t", "len_t", "ino_t", "rlim_t",
			"pgcnt_t", "uintmax_t", "ulong"},
		types.IntType: {"pid_t", "id_t", "processorid_t", "psetid_t", "taskid_t", "projid_t", "poolid_t", "zoneid_t",
			"ctid_t", "lgrp_id_t", "pri_t", "key_t", "chipid_t", "cpuid_t", "timeout_t", "clockid_t"},
		types.UInt:   {"uint_t", "uid_t", "gid_t", "major_t", "minor_t", "mode_t", "dev_t", "nlink_t", "uint", "ipaddr_t", "boolean_t"},
		types.UChar:  {"uchar_t"},
		types.UShort: {"ushort_t", "ushort"},
	} {
		for _, name := range names {
			m[name] = &types.Typedef{Name: name, Under: under}
		}
	}
	m["caddr_t"] = &types.Typedef{Name: "caddr_t", Under: &types.Pointer{Elem: types.Char}}
	return m
}()

// OwnType returns the type that D itself knows by a name, or nil.
func OwnType(name string) types.Type {
	if t, ok := typedefTable[name]; ok {
		return t
	}
	return nil
}

// KnownType reports whether D has a type of that name on every system.
func KnownType(module, name string) bool {
	return (module == "" || module == "C" || module == "D") && typedefTable[name] != nil
}

// moduleOf returns the module that is asked for a type: C is all of the kernel.
func moduleOf(module string) string {
	if module == "C" {
		return ""
	}
	return module
}

// basicTypes maps the words of a basic type, sorted and joined by blanks.
var basicTypes = map[string]types.Type{
	"void":                   types.VoidType,
	"string":                 types.StrType,
	"char":                   types.Char,
	"char signed":            types.SChar,
	"char unsigned":          types.UChar,
	"short":                  types.Short,
	"short signed":           types.Short,
	"int short":              types.Short,
	"int short signed":       types.Short,
	"short unsigned":         types.UShort,
	"int short unsigned":     types.UShort,
	"int":                    types.IntType,
	"signed":                 types.IntType,
	"int signed":             types.IntType,
	"unsigned":               types.UInt,
	"int unsigned":           types.UInt,
	"long":                   types.Long,
	"long signed":            types.Long,
	"int long":               types.Long,
	"int long signed":        types.Long,
	"long unsigned":          types.ULong,
	"int long unsigned":      types.ULong,
	"long long":              types.LongLong,
	"long long signed":       types.LongLong,
	"int long long":          types.LongLong,
	"int long long signed":   types.LongLong,
	"long long unsigned":     types.ULongLong,
	"int long long unsigned": types.ULongLong,
	"float":                  &types.Float{Name: "float", Bytes: 4},
	"double":                 &types.Float{Name: "double", Bytes: 8},
	"double long":            &types.Float{Name: "long double", Bytes: 16},
	"_Bool":                  types.UChar,

	// What headers of C name and D cannot compute with.
	"_Complex double":      &types.Float{Name: "double _Complex", Bytes: 16},
	"_Complex float":       &types.Float{Name: "float _Complex", Bytes: 8},
	"_Complex double long": &types.Float{Name: "long double _Complex", Bytes: 32},
	"__int128":             &types.Float{Name: "__int128", Bytes: 16},
	"__int128 signed":      &types.Float{Name: "__int128", Bytes: 16},
	"__int128 unsigned":    &types.Float{Name: "unsigned __int128", Bytes: 16},
	"__int128_t":           &types.Float{Name: "__int128_t", Bytes: 16},
	"__uint128_t":          &types.Float{Name: "__uint128_t", Bytes: 16},
	"_Float16":             &types.Float{Name: "_Float16", Bytes: 2},
	"_Float32":             &types.Float{Name: "_Float32", Bytes: 4},
	"_Float32x":            &types.Float{Name: "_Float32x", Bytes: 8},
	"_Float64":             &types.Float{Name: "_Float64", Bytes: 8},
	"_Float64x":            &types.Float{Name: "_Float64x", Bytes: 16},
	"_Float128":            &types.Float{Name: "_Float128", Bytes: 16},
	"__float128":           &types.Float{Name: "__float128", Bytes: 16},
	"__builtin_va_list":    types.VoidPtr,
}
