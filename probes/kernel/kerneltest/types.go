package kerneltest

import (
	"slices"
	"testing"

	"github.com/cilium/ebpf/btf"
)

// Types returns a BTF file with the types that the tests ask for, but for
// those of the names in without.
func Types(t testing.TB, without ...string) []byte {
	t.Helper()
	return marshal(t, slices.DeleteFunc(sample(), func(typ btf.Type) bool {
		return slices.Contains(without, typ.TypeName())
	}))
}

func marshal(t testing.TB, list []btf.Type) []byte {
	t.Helper()
	b, err := btf.NewBuilder(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sample returns the types, each with all that it refers to.
func sample() []btf.Type {
	var (
		void  = &btf.Void{}
		char  = &btf.Int{Name: "char", Size: 1}
		i32   = &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
		u32   = &btf.Int{Name: "unsigned int", Size: 4}
		i64   = &btf.Int{Name: "long int", Size: 8, Encoding: btf.Signed}
		u64   = &btf.Int{Name: "long unsigned int", Size: 8}
		u128  = &btf.Int{Name: "unsigned __int128", Size: 16}
		ptr   = &btf.Pointer{Target: void}
		pid   = &btf.Typedef{Name: "pid_t", Type: i32}
		state = &btf.Enum{Name: "task_state", Size: 4, Signed: true, Values: []btf.EnumValue{
			{Name: "TASK_RUNNING", Value: 0}, {Name: "TASK_LOST", Value: ^uint64(0)}}}
		limits = &btf.Enum{Name: "limits", Size: 8, Values: []btf.EnumValue{{Name: "LIMIT_HUGE", Value: 1 << 40}}}
		member = func(name string, typ btf.Type, off btf.Bits) btf.Member {
			return btf.Member{Name: name, Type: typ, Offset: off}
		}
	)
	info := &btf.Struct{Name: "thread_info", Size: 24, Members: []btf.Member{
		member("flags", u64, 0), member("syscall_work", u64, 64), member("status", u32, 128), member("cpu", u32, 160)}}

	task := &btf.Struct{Name: "task_struct", Size: 128}
	hook := &btf.Pointer{Target: &btf.FuncProto{Return: i32, Params: []btf.FuncParam{
		{Name: "p", Type: &btf.Pointer{Target: task}}, {Type: void}}}} // variadic
	task.Members = []btf.Member{
		member("thread_info", info, 0),
		member("pid", pid, 192),
		member("comm", &btf.Array{Index: i32, Type: char, Nelems: 16}, 224),
		{Name: "in_exec", Type: u32, Offset: 352, BitfieldSize: 1},
		{Name: "mode", Type: u32, Offset: 353, BitfieldSize: 3},
		member("parent", &btf.Const{Type: &btf.Pointer{Target: &btf.Volatile{Type: task}}}, 384),
		member("", &btf.Union{Size: 8, Members: []btf.Member{member("utime", u64, 0), member("stime", u64, 0)}}, 448),
		member("hook", hook, 512),
		member("state", state, 576),
		member("mm", &btf.Pointer{Target: &btf.Fwd{Name: "mm_struct"}}, 640),
		member("wide", u128, 768),
		member("signal", &btf.Pointer{Target: &btf.Fwd{Name: "nowhere"}}, 896),
	}
	packed := &btf.Struct{Name: "packed", Size: 5, Members: []btf.Member{member("tag", char, 0), member("word", u32, 8)}}
	mm := &btf.Struct{Name: "mm_struct", Size: 8, Members: []btf.Member{member("pgd", u64, 0)}}

	attr := &btf.Union{Name: "bpf_attr", Size: 24, Members: []btf.Member{
		member("raw_tracepoint", &btf.Struct{Size: 24, Members: []btf.Member{
			member("name", u64, 0), member("prog_fd", u32, 64), member("cookie", u64, 128)}}, 0)}}

	list := []btf.Type{task, packed, mm, attr, limits, &btf.Float{Name: "double", Size: 8}}
	add := func(t btf.Type) { list = append(list, t) }
	point := func(name string, params ...btf.FuncParam) {
		bare := []btf.FuncParam{{Type: ptr}}
		named := []btf.FuncParam{{Name: "__data", Type: ptr}}
		for _, p := range params {
			bare = append(bare, btf.FuncParam{Type: p.Type})
			named = append(named, p)
		}
		add(&btf.Typedef{Name: "btf_trace_" + name, Type: &btf.Pointer{Target: &btf.FuncProto{Return: void, Params: bare}}})
		add(&btf.Func{Name: "__probestub_" + name, Type: &btf.FuncProto{Return: void, Params: named}})
	}
	taskPtr := &btf.Pointer{Target: task}
	regs := &btf.Pointer{Target: &btf.Struct{Name: "pt_regs", Size: 8, Members: []btf.Member{member("ip", u64, 0)}}}
	point("sched_switch", btf.FuncParam{Name: "preempt", Type: &btf.Int{Name: "_Bool", Size: 1, Encoding: btf.Bool}},
		btf.FuncParam{Name: "prev", Type: taskPtr}, btf.FuncParam{Name: "next", Type: taskPtr})
	point("sched_process_exec", btf.FuncParam{Name: "p", Type: taskPtr}, btf.FuncParam{Name: "old_pid", Type: pid})
	point("sched_process_exit", btf.FuncParam{Name: "p", Type: taskPtr})
	point("sched_wakeup", btf.FuncParam{Name: "p", Type: taskPtr})
	point("sys_enter", btf.FuncParam{Name: "regs", Type: regs}, btf.FuncParam{Name: "id", Type: i64})
	point("sys_exit", btf.FuncParam{Name: "regs", Type: regs}, btf.FuncParam{Name: "ret", Type: i64})
	point("block_rq_complete", btf.FuncParam{Name: "error", Type: i32})
	point("sched_util_tp", btf.FuncParam{Name: "p", Type: taskPtr})
	add(&btf.Func{Name: "ksys_read", Type: &btf.FuncProto{Return: i64, Params: []btf.FuncParam{
		{Name: "fd", Type: u32}, {Name: "buf", Type: &btf.Pointer{Target: char}}, {Name: "count", Type: u64}}}})
	for _, name := range []string{"do_int80_emulation", "do_el0_svc_compat"} { // those of 32 bits, x86's and arm64's
		add(&btf.Func{Name: name, Type: &btf.FuncProto{Return: void}})
	}
	return list
}
