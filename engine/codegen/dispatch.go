package codegen

import (
	"fmt"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"

	"dscope.dev/dlang/machine"
	"dscope.dev/probes"
)

// One hook tells of all system calls, and what a script does at them may be more than one
// program can do, or more than the kernel checks in a short time. Then several programs do
// it, each for some of the calls, and only a dispatcher is attached: it goes on to the
// program of the call by its number. Attached by themselves, each of them would be asked at
// every call of the machine, which took 60 ns.

// An Entry is what is attached at a hook: the program of a unit, or a dispatcher, which goes
// on to those of several.
type Entry struct {
	Prog  string // its name in Spec.Programs
	Units []int  // that it serves: indexes into Units
	Calls string // of a dispatcher: Spec.Maps name of the array of the programs, by the number of the call; the engine fills it; else ""
}

// dispatchers generates those of the units that need one, and returns what there is to attach.
// Names are those of the programs of units.
func (g *generator) dispatchers(progs map[string]*ebpf.ProgramSpec, maps map[string]*ebpf.MapSpec, names []string) []Entry {
	var entries []Entry
	at := map[probes.Hook]int{}
	for i, u := range g.units {
		switch known, ok := at[u.Hook]; {
		case names[i] == "":
		case !u.Part:
			entries = append(entries, Entry{Prog: names[i], Units: []int{i}})
		case ok:
			entries[known].Units = append(entries[known].Units, i)
		default:
			at[u.Hook] = len(entries)
			n := len(at) - 1
			e := Entry{Prog: fmt.Sprintf("dispatch%d", n), Units: []int{i}, Calls: fmt.Sprintf("calls%d", n)}
			entries = append(entries, e)
			progs[e.Prog] = dispatcher(e, u, progs[names[i]], g.arch)
		}
	}
	for _, e := range entries {
		if e.Calls != "" {
			maps[e.Calls] = g.callsMap(e)
		}
	}
	return entries
}

// dispatcher returns the program of e, which is at the hook of u, as part is.
func dispatcher(e Entry, u *Unit, part *ebpf.ProgramSpec, m *machine.Machine) *ebpf.ProgramSpec {
	number := asm.Instructions{asm.LoadMem(asm.R3, asm.R1, 8, asm.DWord)}
	if u.leaves() {
		size := asm.DWord
		if m.NumberSize == 4 {
			size = asm.Word
		}
		number = asm.Instructions{
			asm.LoadMem(asm.R3, asm.R1, 0, asm.DWord),
			asm.LoadMem(asm.R3, asm.R3, int16(m.Number), size),
		}
	}
	code := append(number,
		asm.LoadMapPtr(asm.R2, 0).WithReference(e.Calls),
		asm.FnTailCall.Call(),
		asm.Mov.Imm(asm.R0, 0), // of no call that the script knows
		asm.Return(),
	)
	fn := &btf.Func{Name: e.Prog, Type: &btf.FuncProto{Return: &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}}}
	code[0] = btf.WithFuncMetadata(code[0].WithSymbol(e.Prog), fn)
	return &ebpf.ProgramSpec{Name: e.Prog, License: license, Type: part.Type, AttachType: part.AttachType, AttachTo: part.AttachTo, Instructions: code}
}

// callsMap is the array of a dispatcher.
func (g *generator) callsMap(e Entry) *ebpf.MapSpec {
	entries := uint32(0)
	for _, i := range e.Units {
		sites := g.units[i].Sites
		entries = max(entries, sites[len(sites)-1].Key+1)
	}
	return &ebpf.MapSpec{Name: e.Calls, Type: ebpf.ProgramArray, KeySize: 4, ValueSize: 4, MaxEntries: entries}
}

// leaves reports whether u is at the hook at which system calls return.
func (u *Unit) leaves() bool { return strings.HasSuffix(u.Hook.Target, "exit") }
