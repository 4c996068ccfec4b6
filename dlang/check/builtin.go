package check

import (
	"maps"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// A builtinSpec is one line of the table of built-in variables.
type builtinSpec struct {
	name string
	typ  types.Type // nil if kernel names it
	// kernel is the tag of the kernel's struct that it points to.
	kernel string
	help   string
	why    string // why it cannot be had; "" if it can
	// library says that it is an inline of the library; typ is only shown.
	library bool
}

// comm is the type of execname: TASK_COMM_LEN bytes.
var comm = &types.String{Max: 16}

// byLibrary tells why what the library declares cannot be had without it.
const byLibrary = "the library of D declares it, and -x nolibs leaves that out"

// builtinTable holds every built-in variable of the DTrace guides by name.
var builtinTable = func() map[string]*builtinSpec {
	list := []builtinSpec{
		{name: "args", typ: types.VoidType, help: "the probe's arguments, with their types"},
		{name: "caller", typ: named("uintptr_t"), help: "the kernel address that the probed function returns to"},
		{name: "cpu", typ: types.IntType, help: "the number of this CPU"},
		{name: "curcpu", typ: pointerTo("cpuinfo_t"), help: "this CPU", library: true},
		{name: "curlwpsinfo", typ: pointerTo("lwpsinfo_t"), help: "the state of this thread", library: true},
		{name: "curpsinfo", typ: pointerTo("psinfo_t"), help: "the state of this process", library: true},
		{name: "curthread", kernel: "task_struct", help: "the kernel's struct of this thread"},
		{name: "cwd", typ: types.StrType, help: "the working directory of this process"},
		{name: "epid", typ: types.UInt64, help: "the number of the enabled probe"},
		{name: "errno", typ: types.IntType, help: "the error of the last system call of this thread"},
		{name: "execargs", typ: types.StrType, help: "the arguments that the process was started with"},
		{name: "execname", typ: comm, help: "the name of the process"},
		{name: "fds", typ: pointerTo("fileinfo_t"), help: "the open files of this process", library: true},
		{name: "gid", typ: named("gid_t"), help: "the real group of the process"},
		{name: "id", typ: types.UInt, help: "the number of the probe"},
		{name: "ipl", typ: types.UInt, help: "0: Linux has no interrupt priority levels"},
		{name: "lgrp", typ: types.IntType, help: "the locality group of this CPU", library: true},
		{name: "pid", typ: named("pid_t"), help: "the number of the process"},
		{name: "ppid", typ: named("pid_t"), help: "the number of the parent process"},
		{name: "probefunc", typ: types.StrType, help: "the function of the probe"},
		{name: "probemod", typ: types.StrType, help: "the module of the probe"},
		{name: "probename", typ: types.StrType, help: "the name of the probe"},
		{name: "probeprov", typ: types.StrType, help: "the provider of the probe"},
		{name: "pset", typ: types.IntType, help: "the processor set of this CPU; Linux has none: 0"},
		{name: "regs", typ: types.UInt64, help: "the registers of what a timer interrupted, or at a probed instruction; 0 where there are none: regs[R_PC]"},
		{name: "root", typ: types.StrType, help: "the root directory of this process"},
		{name: "stackdepth", typ: types.UInt32, help: "the number of frames of the kernel stack"},
		{name: "tid", typ: named("id_t"), help: "the number of the thread"},
		{name: "timestamp", typ: types.UInt64, help: "nanoseconds since an arbitrary start; never goes back"},
		{name: "ucaller", typ: types.UInt64, help: "the address of the process that its function returns to"},
		{name: "uid", typ: named("uid_t"), help: "the real user of the process"},
		{name: "uregs", typ: types.UInt64, help: "the registers of the process: uregs[R_PC]"},
		{name: "ustackdepth", typ: types.UInt32, help: "the number of frames of the user stack"},
		{name: "vtimestamp", typ: types.UInt64, help: "nanoseconds that this thread has run"},
		{name: "walltimestamp", typ: types.Int64, help: "nanoseconds since 1970"},
		{name: "zonename", typ: types.StrType, help: "the zone of the process: global, for Linux has no others, also not in containers", library: true},
	}
	m := make(map[string]*builtinSpec, len(list)+10)
	for i := range list {
		m[list[i].name] = &list[i]
	}
	for i := range 10 {
		name := "arg" + string(rune('0'+i))
		m[name] = &builtinSpec{name: name, typ: types.Int64, help: "an argument of the probe, as a raw number"}
	}
	return m
}()

// pointerTo spells a pointer to a type of the library.
func pointerTo(name string) types.Type {
	return &types.Pointer{Elem: &types.Typedef{Name: name, Under: types.VoidType}}
}

// named returns one of D's own typedefs.
// Typedefs returns the types that D itself names. They must not be changed.
func Typedefs() map[string]types.Type { return typedefTable }

func named(name string) types.Type { return typedefTable[name] }

// builtin resolves a built-in variable.
func (c *checker) builtin(x ast.Expr, b *builtinSpec) types.Type {
	switch {
	case c.tooNew(b.name):
		c.notYet(x, diag.UnknownIdent, b.name)
		return types.Bad
	case b.library:
		c.errorf(x, diag.UnknownIdent, "%s cannot be had: %s", b.name, byLibrary)
		return types.Bad
	case b.why != "":
		c.errorf(x, diag.Unsupported, "%s cannot be had: %s", b.name, b.why)
		return types.Bad
	case b.name == "args":
		c.errorf(x, diag.BadIdent, "args is an array: it has no value without an index").Suggest("args[0]").Insert(x.Span().To, "[0]")
		return types.Bad
	case b.name == "uregs" || b.name == "regs":
		c.errorf(x, diag.BadIdent, "%s is an array: it has no value without an index", b.name).Suggest("%s[R_PC]", b.name).Insert(x.Span().To, "[R_PC]")
		return types.Bad
	}
	if b.name == "arg0" {
		if why := c.lacking(0); why != "" {
			c.warn(x, diag.ArgsIndex, "arg0 is -1 where a function returns: %s", why)
		}
	}
	ref := c.builtinRef(b)
	if types.IsInvalid(ref.Type) {
		c.errorf(x, diag.UnknownType, "this kernel tells nothing of struct %s, so %s has no type", b.kernel, b.name).Cause = diag.NoTypes
		return types.Bad
	}
	c.prog.Refs[x] = ref
	return ref.Type
}

// builtinRef returns the Builtin of b, one for each script.
func (c *checker) builtinRef(b *builtinSpec) *Builtin {
	if ref := c.builtins[b.name]; ref != nil {
		return ref
	}
	ref := &Builtin{Name: b.name, Type: b.typ}
	if b.kernel != "" {
		ref.Type = types.Bad
		if t, err := c.lookupType("struct", "", b.kernel); err == nil {
			ref.Type = &types.Pointer{Elem: t}
		}
	}
	c.builtins[b.name] = ref
	return ref
}

// A Known is a name of the language, for lists and completion.
type Known struct {
	Name, Detail, Help string
	Why                string // why it cannot be used here; "" if it can
}

// Reserved reports whether D itself means something by a name.
func Reserved(name string) bool {
	return builtinTable[name] != nil || isFunction(name)
}

// IsBuiltin reports whether D gives a variable of that name in every clause.
func IsBuiltin(name string) bool { return builtinTable[name] != nil }

// Builtins lists the built-in variables by name.
func Builtins() []Known {
	var list []Known
	for _, name := range slices.Sorted(maps.Keys(builtinTable)) {
		b := builtinTable[name]
		detail := "struct " + b.kernel + " *"
		if b.typ != nil {
			detail = b.typ.String()
		}
		list = append(list, Known{name, detail, b.help, b.why})
	}
	return list
}

// Macros lists the macro arguments that have a name.
func Macros() []Known {
	var list []Known
	for _, m := range [][2]string{
		{"egid", "effective group of dscope"}, {"euid", "effective user of dscope"}, {"gid", "group of dscope"},
		{"pgid", "process group of dscope"}, {"pid", "process of dscope"}, {"ppid", "parent of dscope"},
		{"projid", "project of dscope"}, {"sid", "session of dscope"}, {"target", "the process of -p or -c"},
		{"taskid", "task of dscope"}, {"uid", "user of dscope"},
	} {
		list = append(list, Known{Name: m[0], Detail: m[1]})
	}
	return list
}
