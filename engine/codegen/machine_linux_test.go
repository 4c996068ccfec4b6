package codegen_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// A machine is the made-up machine of package gen, made real: its probes are
// raw tracepoint programs that the kernel test-runs; its threads are threads of
// this process, each on a CPU; its user memory is mapped where gen has it, and
// its kernel memory is the value of a map, whose address a program tells.
type machine struct {
	env          *gen.Env
	target       lower.Target
	features     codegen.Features
	data         int64          // address in the kernel of gen.Data
	memory       map[int64]byte // of the kernel, as the judge sees it
	people       []*person
	outer        *ebpf.Map         // the rings, one a CPU
	rings        []*ringbuf.Reader // by CPU
	again        int               // how many runs were repeated
	seen         map[string]int    // what judges have seen
	sum          hash.Hash         // of all that was compiled
	followedMost [2]int            // what the verifier had to follow at the most: instructions, of a program of so many
	offsets      [4]int            // in task_struct of pid, tgid, comm, real_parent
}

// A person is a thread that fires probes.
type person struct {
	do   chan func()
	done chan struct{}
	gen.Facts
	parent     int32 // number of the parent process
	parentComm []byte
}

// keyWord is the word of the context that holds the key of the firing site. The
// test-run call has no attach cookie, which is what tells sites apart where one
// program serves several tracepoints; so the programs are changed in one place.
const keyWord = 11

func newMachine(t *testing.T) *machine {
	k := kernel.Open()
	t.Cleanup(func() { k.Close() })
	task := k.Struct("task_struct")
	if !task.Complete() {
		t.Fatal("this kernel does not tell what task_struct holds")
	}
	m := &machine{env: gen.NewEnv(), seen: map[string]int{}, sum: sha256.New()}
	m.env.SetTask(task)
	m.target = m.env.Target()
	facts, err := k.Facts()
	if err != nil {
		t.Fatal(err)
	}
	m.features = codegen.Features{Arch: facts.Arch, CPUs: len(facts.Possible), RawCookie: true,
		CompatStatus: -1, BufSize: 1 << 16, AggSize: 1 << 17, DynVarSize: 1 << 16}
	m.features.Verifier = codegen.QuirksOf(facts.AtLeast)
	cred := k.Struct("cred")
	m.features.Cred = codegen.Cred{Task: task.OffsetOf("cred"), UID: cred.OffsetOf("uid"), GID: cred.OffsetOf("gid")}
	if *current {
		m.features.Current = trial.CurrentTasks(k, facts) // be it cheaper or not
	}
	m.target.RoundByRound = m.features.Verifier.Has(codegen.RoundByRound)
	m.openRings(t)
	mapUser(t)
	m.settle(t, task)
	return m
}

// openRings makes the maps that all objects share.
func (m *machine) openRings(t *testing.T) {
	ring := &ebpf.MapSpec{Name: "ring", Type: ebpf.RingBuf, MaxEntries: uint32(m.features.BufSize)}
	m.outer = newMap(t, &ebpf.MapSpec{Name: "rings", Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4,
		MaxEntries: uint32(m.features.CPUs), InnerMap: ring})
	for cpu := range m.features.CPUs {
		inner := newMap(t, ring)
		r, err := ringbuf.NewReader(inner)
		if err == nil {
			err = m.outer.Put(uint32(cpu), inner)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		r.SetDeadline(time.Unix(1, 0)) // long past: never wait
		m.rings = append(m.rings, r)
	}
}

// addUp adds the programs of o to a sum.
func addUp(o *codegen.Object, sum io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(o.Spec.Programs)) {
		for i := range o.Spec.Programs[name].Instructions {
			in := &o.Spec.Programs[name].Instructions[i]
			fmt.Fprintln(sum, in.OpCode, in.Dst, in.Src, in.Offset, in.Constant, in.Reference())
		}
	}
}

func newMap(t *testing.T, spec *ebpf.MapSpec) *ebpf.Map {
	m, err := ebpf.NewMap(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// mapUser puts gen's user memory where it belongs, page by page: much lies
// between its parts.
func mapUser(t *testing.T) {
	page := int64(os.Getpagesize())
	pages := map[int64][]byte{}
	for at, c := range gen.User() {
		from := at - at%page
		if pages[from] == nil {
			pages[from] = make([]byte, page)
		}
		pages[from][at-from] = c
	}
	f, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_FIXED_NOREPLACE | unix.MAP_LOCKED | unix.MAP_POPULATE
	for from, text := range pages {
		at, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(from), uintptr(page), unix.PROT_READ|unix.PROT_WRITE, flags, ^uintptr(0), 0)
		if errno != 0 || at != uintptr(from) {
			t.Fatalf("map the user memory: %v", errno)
		}
		t.Cleanup(func() { unix.Syscall(unix.SYS_MUNMAP, at, uintptr(page), 0) })
		if _, err := f.WriteAt(text, from); err != nil {
			t.Fatal(err)
		}
	}
}

// names are what the threads are called; gen's threads have the same.
var names = []string{"dd", "bash", "sixteen_bytes__"}

// settle starts the threads, and learns from the kernel where things lie.
func (m *machine) settle(t *testing.T, task *types.Struct) {
	data := newMap(t, &ebpf.MapSpec{Name: "data", Type: ebpf.Array, KeySize: 4, ValueSize: gen.DataSize, MaxEntries: 1})
	told := newMap(t, &ebpf.MapSpec{Name: "told", Type: ebpf.Array, KeySize: 4, ValueSize: 56, MaxEntries: 1})
	off := func(name string) int {
		f, ok := task.Member(name)
		if !ok {
			t.Fatalf("task_struct has no %s", name)
		}
		return f.Off / 8
	}
	prog, err := ebpf.NewProgram(teller(data.FD(), told.FD(), off("real_parent"), off("tgid"), off("comm")))
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	var cpus []int
	for cpu := range m.features.CPUs {
		if allowed.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	for i, name := range names {
		p := newPerson(t, name, cpus[i%len(cpus)])
		m.people = append(m.people, p)
		var words [7]uint64
		p.call(func() {
			if _, err = prog.Run(&ebpf.RunOptions{Context: [12]uint64{}}); err == nil {
				err = told.Lookup(uint32(0), &words)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		m.data = int64(words[0])
		p.PID, p.TID, p.parent = int32(words[1]>>32), int32(words[1]), int32(words[2])
		p.parentComm = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, words[5]), words[6])
		p.At, p.Parent = int64(words[3]), int64(words[4])
		p.UID = int64(os.Getuid())
	}
	if err := data.Put(uint32(0), gen.Data(m.data)); err != nil {
		t.Fatal(err)
	}
	m.remember(off)
}

// teller is a program that tells where the value of data lies, the numbers of
// the current process and thread, and of the parent process, where both have
// their task_struct, and what the parent, which is a thread, is called.
func teller(data, told, parent, tgid, comm int) *ebpf.ProgramSpec {
	return &ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "Dual MIT/GPL", Instructions: asm.Instructions{
		asm.LoadMapValue(asm.R6, told, 0),
		asm.LoadMapValue(asm.R1, data, 0),
		asm.StoreMem(asm.R6, 0, asm.R1, asm.DWord),
		asm.FnGetCurrentPidTgid.Call(),
		asm.StoreMem(asm.R6, 8, asm.R0, asm.DWord),
		asm.FnGetCurrentTaskBtf.Call(),
		asm.StoreMem(asm.R6, 24, asm.R0, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, int16(parent), asm.DWord),
		asm.StoreMem(asm.R6, 32, asm.R1, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, int16(tgid), asm.Word),
		asm.StoreMem(asm.R6, 16, asm.R2, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, int16(comm), asm.DWord),
		asm.StoreMem(asm.R6, 40, asm.R2, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, int16(comm)+8, asm.DWord),
		asm.StoreMem(asm.R6, 48, asm.R2, asm.DWord),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	}}
}

// remember tells the judge what the kernel's memory holds.
func (m *machine) remember(off func(string) int) {
	m.memory = map[int64]byte{}
	put := func(at int64, b []byte) {
		for i, c := range b {
			m.memory[at+int64(i)] = c
		}
	}
	put(m.data, gen.Data(m.data))
	at := m.people[0].Parent
	parent := binary.LittleEndian.AppendUint32(nil, uint32(m.people[0].parent))
	put(at+12, parent) // where gen has it, for ppid
	put(at+int64(off("tgid")), parent)
	put(at+int64(off("comm")), m.people[0].parentComm)
	m.offsets = [4]int{off("pid"), off("tgid"), off("comm"), off("real_parent")}
}

// task returns what is known of a thread's task_struct.
func (m *machine) task(f *gen.Facts) map[int64]byte {
	mem := map[int64]byte{}
	var comm [16]byte
	copy(comm[:], f.Comm)
	for i, b := range [][]byte{
		binary.LittleEndian.AppendUint32(nil, uint32(f.TID)), binary.LittleEndian.AppendUint32(nil, uint32(f.PID)),
		comm[:], binary.LittleEndian.AppendUint64(nil, uint64(f.Parent)),
	} {
		for k, c := range b {
			mem[int64(m.offsets[i]+k)] = c
		}
	}
	return mem
}

// newPerson starts a thread with a name on a CPU.
func newPerson(t *testing.T, name string, cpu int) *person {
	p := &person{do: make(chan func()), done: make(chan struct{})}
	p.Comm, p.CPU = name, int64(cpu)
	t.Cleanup(func() { close(p.do) })
	var err error
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with its goroutine
		for f := range p.do {
			f()
			p.done <- struct{}{}
		}
	}()
	p.call(func() {
		var set unix.CPUSet
		set.Set(cpu)
		err = errors.Join(unix.SchedSetaffinity(0, &set), os.WriteFile(fmt.Sprintf("/proc/self/task/%d/comm", unix.Gettid()), []byte(name), 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call runs f on the thread.
func (p *person) call(f func()) {
	p.do <- f
	<-p.done
}

// shots makes up firings that this machine can have, and a last one of each
// thread that shows the variables.
func (m *machine) shots(r *rand.Rand) []gen.Shot {
	list := gen.Shots(r, 12)
	for range m.people {
		last := list[r.IntN(12)]
		last.Hook, last.Site, last.Args[9] = "exec", 0, lastWord
		list = append(list, last)
	}
	for i := range list {
		s := &list[i]
		who := slices.Index(names, s.Comm)
		if n := i - 12; n >= 0 {
			who = n
		}
		args := s.Args
		s.Facts = m.people[who].Facts
		s.Args = args
		s.Move(m.data)
	}
	return list
}

// of finds the thread that fires s.
func (m *machine) of(s *gen.Shot) *person {
	return m.people[slices.Index(names, s.Comm)]
}

// compile makes the object of a script.
func (m *machine) compile(p *check.Program, level int, opts ir.Options) (*codegen.Object, *lower.Result, error) {
	units := gen.Units(p)
	res, list := lower.Lower(p, units, m.target, opts)
	if list.Failed() {
		return nil, nil, fmt.Errorf("lowering: %s", list[0].Msg)
	}
	for _, fn := range res.IR.Funcs {
		if err := ir.Optimize(fn, level, nil); err != nil {
			return nil, nil, err
		}
	}
	var generating []*codegen.Unit
	for _, u := range units {
		g := &codegen.Unit{Hook: probes.Hook{Kind: probes.Tracepoint, Target: u.Name}, Shared: true}
		if u.Special != "" {
			g = &codegen.Unit{Hook: probes.Hook{Kind: probes.Test, Target: u.Special}}
		}
		for _, s := range u.Sites {
			g.Sites = append(g.Sites, &probes.Site{Key: s.Key, ID: s.ID, Raw: 10, Hook: g.Hook,
				Probe: probes.Probe{Provider: s.Provider, Module: s.Module, Function: s.Function, Name: s.Name}})
		}
		generating = append(generating, g)
	}
	o, err := codegen.Generate(res.IR, generating, m.features)
	if err != nil {
		return nil, nil, fmt.Errorf("generating: %w", err)
	}
	addUp(o, m.sum)
	for _, spec := range o.Spec.Programs {
		for i := range spec.Instructions {
			if in := &spec.Instructions[i]; in.IsBuiltinCall() && in.Constant == int64(asm.FnGetAttachCookie) {
				load := asm.LoadMem(asm.R0, asm.R1, 8*keyWord, asm.DWord)
				load.Metadata = in.Metadata
				*in = load
			}
		}
	}
	return o, res, nil
}
