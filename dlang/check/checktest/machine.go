// Package checktest is a small made-up kernel, on which tests check scripts.
package checktest

import (
	"fmt"
	"path"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/types"
)

// A Machine is a small made-up kernel: a check.Env.
type Machine struct {
	structs  map[string]types.Type // by kind and name
	probes   []fakeProbe
	symbols  map[string]check.Symbol
	constant map[string]int64
	enum     *types.Enum
}

type fakeProbe struct {
	name string // with colons
	args []check.Arg

	lacks string
}

// New returns one.
func New() *Machine {
	char16 := &types.Array{Elem: types.Char, Len: 16}
	field := func(name string, t types.Type, off int) types.Field {
		return types.Field{Name: name, Type: t, Off: 8 * off}
	}
	mm := types.NewStruct(false, "mm_struct", nil)
	mm.SetFields([]types.Field{field("total_vm", types.ULong, 0), field("owner", types.VoidPtr, 8)}, 16, 8)
	task := types.NewStruct(false, "task_struct", nil)
	inner := types.NewStruct(true, "", nil)
	inner.SetFields([]types.Field{field("on_rq", types.IntType, 0), field("wake", types.ULong, 0)}, 8, 8)
	announced := types.NewStruct(false, "mm_struct", nil)
	task.SetFields([]types.Field{
		field("state", types.Long, 0),
		field("comm", char16, 8),
		field("pid", types.IntType, 24),
		{Name: "frozen", Type: types.UInt, Off: 8 * 28, Bits: 1},
		field("parent", &types.Pointer{Elem: task}, 32),
		field("mm", &types.Pointer{Elem: announced}, 40),
		field("", inner, 48),
		field("run", &types.Pointer{Elem: &types.Func{Result: types.VoidType}}, 56),
		field("cpus", &types.Array{Elem: types.ULong, Len: 4}, 64),
		field("secret", &types.Pointer{Elem: types.NewStruct(false, "nowhere", nil)}, 96),
		field("load", &types.Float{Name: "double", Bytes: 8}, 104),
		field("grid", &types.Array{Elem: &types.Array{Elem: types.Short, Len: 3}, Len: 2}, 112),
	}, 128, 8)
	enum := &types.Enum{Tag: "hrtimer_mode", Bytes: 4, Values: []types.Enumerator{{Name: "HRTIMER_ABS", Value: 0}, {Name: "HRTIMER_REL", Value: 1}}}
	gfp := &types.Typedef{Name: "gfp_t", Under: types.UInt}
	arg := func(slot int, name string, t types.Type) check.Arg { return check.Arg{Name: name, Type: t, Slot: slot} }
	buf := check.Arg{Name: "buf", Type: &types.Pointer{Elem: types.Char}, Slot: 1, User: true}
	read := []check.Arg{arg(0, "fd", types.UInt), buf, arg(2, "count", types.ULong)}
	return &Machine{
		structs: map[string]types.Type{
			"struct task_struct": task, "struct mm_struct": mm, "enum hrtimer_mode": enum, "typedef gfp_t": gfp,
		},
		probes: []fakeProbe{
			{name: "dtrace:::BEGIN"}, {name: "dtrace:::END"}, {name: "dtrace:::ERROR"},
			{name: "syscall::read:entry", args: read},
			{name: "syscall::write:entry", args: read},
			{name: "syscall::read:return", args: []check.Arg{arg(0, "", types.Long)}},
			{name: "syscall::getpid:entry"},
			{name: "sdt:sched::sched_switch", args: []check.Arg{arg(0, "preempt", types.UChar), arg(1, "prev", &types.Pointer{Elem: task}), arg(2, "next", &types.Pointer{Elem: task})}},
			{name: "sdt:timer::hrtimer_init", args: []check.Arg{arg(0, "mode", enum), arg(1, "flags", gfp)}},
			{name: "sdt:odd::untyped", args: []check.Arg{{Name: "x"}}},
			{name: "xlated:::start", args: []check.Arg{
				{Name: "p", Type: &types.Pointer{Elem: task}, As: "psinfo_t *"}, {Name: "l", Type: &types.Pointer{Elem: task}, As: "lwpsinfo_t *"},
				{Name: "t", Type: &types.Pointer{Elem: task}, As: "timestruc_t *"}, {Name: "n", Type: types.Long, Slot: 1, As: "short"},
				{Name: "x", Type: types.Long, Slot: 1, As: "nosuch_t *"},
			}},
			{name: "fbt:vmlinux:vfs_read:return", args: []check.Arg{arg(0, "", types.UInt64), arg(1, "", types.Long)}, lacks: "no hook tells the place"},
			{name: "fbt:vmlinux:vfs_read:entry", args: []check.Arg{arg(0, "file", types.VoidPtr)}},
			{name: "profile:::tick-1s"}, {name: "profile:::profile-97"},
		},
		symbols: map[string]check.Symbol{
			"jiffies":  {Module: "vmlinux", Name: "jiffies", Addr: 0xffffffff81000000, Type: types.ULong},
			"mystery":  {Module: "vmlinux", Name: "mystery", Addr: 0xffffffff81000008},
			"schedule": {Module: "vmlinux", Name: "schedule", Addr: 0xffffffff81000010, Type: &types.Func{Result: types.VoidType}},
		},
		constant: map[string]int64{"TASK_DEAD": 128},
		enum:     enum,
	}
}

func (m *Machine) Probes(d *ast.ProbeDesc) (check.ProbeSet, error) {
	var set check.ProbeSet
	if d.Provider == "ip" {
		return set, fmt.Errorf("this kernel has no ip provider")
	}
	for i, p := range m.probes {
		if d.ID == 0 && !matches(d, p.name) || d.ID != 0 && int(d.ID) != i+1 {
			continue
		}
		if set.Count > 0 && len(set.Args) != len(p.args) {
			set.Args, set.Disagree = nil, true
		} else if !set.Disagree {
			set.Args = p.args
		}
		set.Count++
		set.Lacks = max(set.Lacks, p.lacks)
		if special, ok := strings.CutPrefix(p.name, "dtrace:::"); ok {
			set.Special = special
		}
	}
	if set.Count == 0 && d.Function == "raed" {
		return set, fmt.Errorf("%w: %w", check.ErrNoProbe, noFunction{})
	}
	if set.Count == 0 {
		set.Unawaited = map[string]string{"sdt": "tracepoints", "kinst": "instructions"}[d.Provider]
		return set, check.ErrNoProbe
	}
	return set, nil
}

// noFunction says that a function was misspelt.
type noFunction struct{}

func (noFunction) Error() string { return "no such function" }
func (noFunction) Hint() string  { return "no function is called raed there; there is read" }

func matches(d *ast.ProbeDesc, name string) bool {
	parts := strings.Split(name, ":")
	for i, pattern := range []string{d.Provider, d.Module, d.Function, d.Name} {
		if ok, _ := path.Match(pattern, parts[i]); pattern != "" && !ok {
			return false
		}
	}
	return true
}

func (m *Machine) Type(kind, module, name string) (types.Type, error) {
	if t, ok := m.structs[kind+" "+name]; ok && (module == "" || module == "vmlinux") {
		return t, nil
	}
	return nil, check.ErrNoType
}

func (m *Machine) Symbol(module, name string) (check.Symbol, error) {
	if s, ok := m.symbols[name]; ok && (module == "" || module == s.Module) {
		return s, nil
	}
	return check.Symbol{}, check.ErrNoSymbol
}

func (m *Machine) HasModule(name string) bool { return name == "vmlinux" || name == "ext4" }

func (m *Machine) Enumerator(name string) (int64, types.Type, bool) {
	for _, v := range m.enum.Values {
		if v.Name == name {
			return v.Value, m.enum, true
		}
	}
	v, ok := m.constant[name]
	return v, types.IntType, ok
}
