package codegen

import (
	"reflect"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
)

// TestDispatchers attaches one program at each hook whose sites several serve, and each
// of the others as it is.
func TestDispatchers(t *testing.T) {
	part := func(target string, numbers ...uint32) *Unit {
		u := benchUnit(target, numbers...)
		u.Part = true
		return u
	}
	units := []*Unit{part("sys_enter", 0, 1), benchUnit("sched_switch", 0), part("sys_exit", 3), part("sys_enter", 2, 300), part("sys_exit", 1)}
	for _, arch := range []string{"amd64", "arm64"} {
		p := &ir.Program{}
		for i := range units {
			b := ir.NewBuilder(&ir.Func{Name: "u" + string(rune('0'+i)), Unit: i})
			b.Return()
			p.Funcs = append(p.Funcs, b.Fn)
		}
		o := generate(t, p, Features{Arch: arch, CPUs: 2, CompatStatus: -1}, units...)
		want := []Entry{
			{Prog: "dispatch0", Units: []int{0, 3}, Calls: "calls0"},
			{Prog: "u1", Units: []int{1}},
			{Prog: "dispatch1", Units: []int{2, 4}, Calls: "calls1"},
		}
		if !reflect.DeepEqual(o.Entries, want) {
			t.Errorf("%s: attached are %v, want %v", arch, o.Entries, want)
		}
		if m := o.Spec.Maps["calls0"]; m == nil || m.Type != ebpf.ProgramArray || m.MaxEntries != 301 {
			t.Errorf("%s: the array of the entry is %v", arch, m)
		}
		golden(t, "dispatch_"+arch+".txt", o.Listing())
	}
}
