package codegen

import (
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/probes"
)

// TestFunctionPrograms looks at how programs at functions are entered: which kind
// they are, and where they find the second argument or the value returned.
func TestFunctionPrograms(t *testing.T) {
	const none = -1
	derived := []*probes.Site{{Derived: &probes.Derivation{}}} // such a probe has one argument
	for _, tt := range []struct {
		name   string
		unit   Unit
		arch   string
		typ    ebpf.ProgramType
		how    ebpf.AttachType
		bound  string
		offset int16 // in the context of the argument, or none if it is a constant
	}{
		{"fentry", Unit{Tramp: true}, "amd64", ebpf.Tracing, ebpf.AttachTraceFEntry, "vfs_read", 8},
		{"fexit", Unit{Tramp: true, Hook: probes.Hook{Return: true}}, "amd64", ebpf.Tracing, ebpf.AttachTraceFExit, "vfs_read", 32},
		{"fexit of a probe made of it", Unit{Tramp: true, Hook: probes.Hook{Return: true}, Sites: derived}, "amd64", ebpf.Tracing, ebpf.AttachTraceFExit, "vfs_read", 32},
		{"kprobe", Unit{}, "amd64", ebpf.Kprobe, ebpf.AttachNone, "", 104},
		{"kretprobe", Unit{Hook: probes.Hook{Return: true}}, "amd64", ebpf.Kprobe, ebpf.AttachNone, "", 80},
		{"kprobe arm64", Unit{}, "arm64", ebpf.Kprobe, ebpf.AttachNone, "", 8},
		{"kprobe_multi", Unit{Multi: true}, "amd64", ebpf.Kprobe, ebpf.AttachTraceKprobeMulti, "", 104},
		{"instruction", Unit{Hook: probes.Hook{Kind: probes.Instruction, Offset: 4}}, "amd64", ebpf.Kprobe, ebpf.AttachNone, "", none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.unit
			u.Hook.Module, u.Hook.Target = "vmlinux", "vfs_read"
			if u.Hook.Kind != probes.Instruction {
				u.Hook.Kind = probes.Function
			}
			raw := 4
			if u.Hook.Return {
				raw = 2
			}
			u.Hooks = []probes.Hook{u.Hook}
			site := &probes.Site{ID: 7, Hook: u.Hook, Raw: raw, Words: 5}
			if u.Sites != nil {
				site = &probes.Site{ID: 7, Hook: u.Hook, Raw: 1, Words: 5, Derived: &probes.Derivation{On: site}}
			}
			u.Sites = []*probes.Site{site}
			b := newBed()
			b.Store(b.out, 0, 8, b.Emit(ir.Value{Op: ir.OpArg, Imm: 1}))
			b.Return()
			o, err := Generate(b.p, []*Unit{&u}, Features{Arch: tt.arch, CPUs: 2, CompatStatus: -1})
			if err != nil {
				t.Fatal(err)
			}
			p := o.Spec.Programs[o.Progs[0]]
			if p.Type != tt.typ || p.AttachType != tt.how || p.AttachTo != tt.bound {
				t.Errorf("a program of type %v, to attach by %v to %q", p.Type, p.AttachType, p.AttachTo)
			}
			found := int16(none)
			for _, in := range p.Instructions {
				if in.OpCode == asm.LoadMemOp(asm.DWord) {
					found = in.Offset
				}
			}
			if found != tt.offset {
				t.Errorf("the argument is read at %d, want %d\n%v", found, tt.offset, p.Instructions)
			}
		})
	}
}
