package engine

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/options"
)

// holdings are what this process holds of the kernel.
type holdings struct {
	files    int // descriptors
	mappings int // of the memory of maps
	objects  []string
}

// mark is the name that the programs and maps of marked scripts have in the
// kernel. Others trace on the same machine at the same time, and what they hold
// is not always to be seen from here.
var mark = fmt.Sprintf("leak%d", os.Getpid())

// marked gives the programs and maps of c their name.
func marked(c *Compiled) *Compiled {
	for _, p := range c.plan.Object.Spec.Programs {
		p.Name = mark
	}
	for _, m := range c.plan.Object.Spec.Maps {
		m.Name = mark
		if m.InnerMap != nil {
			m.InnerMap.Name = mark
		}
	}
	return c
}

func take(t testing.TB) holdings {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	objects := append(named("program", ebpf.ProgramGetNextID, programName), named("map", ebpf.MapGetNextID, mapName)...)
	return holdings{len(files), strings.Count(string(mem), "bpf"), objects}
}

// named lists the programs, or maps, that are marked.
func named[ID ~uint32](kind string, next func(ID) (ID, error), name func(ID) string) []string {
	var list []string
	id, err := next(0)
	for ; err == nil; id, err = next(id) {
		if name(id) == mark {
			list = append(list, fmt.Sprintf("%s %d", kind, id))
		}
	}
	return list
}

// programName returns the name of a program, "" if it has gone meanwhile.
func programName(id ebpf.ProgramID) string {
	p, err := ebpf.NewProgramFromID(id)
	if err != nil {
		return ""
	}
	defer p.Close()
	info, err := p.Info()
	if err != nil {
		return ""
	}
	return info.Name
}

func mapName(id ebpf.MapID) string {
	m, err := ebpf.NewMapFromID(id)
	if err != nil {
		return ""
	}
	defer m.Close()
	info, err := m.Info()
	if err != nil {
		return ""
	}
	return info.Name
}

// nothingLeft fails if this process holds more than before, or if the kernel
// still has a program or map of a marked script. It frees them a grace period
// after they are given back.
func nothingLeft(t *testing.T, before holdings) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		now := take(t)
		if now.files <= before.files && now.mappings <= before.mappings && len(now.objects) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors, want %d; %d mappings, want %d; in the kernel are still %v",
				now.files, before.files, now.mappings, before.mappings, now.objects)
		}
	}
}

// ungathered keeps the garbage collector from giving back what the code forgot.
func ungathered(t *testing.T) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// everything uses every kind of map and hook.
const everything = `
	BEGIN { x = 1; printf("%d", x); }
	syscall::read:entry /pid != 0/ { self->ts = timestamp; @[stack(), ustack()] = count(); a[pid] = 1; }
	syscall::read:return /self->ts/ { printf("%s %d", execname, timestamp - self->ts); }
	sdt:::sched_* { @b = count(); }
	profile-97 { @c = quantize(x); }
	END { printa(@b); }`

// TestNothingLeft looks for what is left of runs that ended in each of the ways.
func TestNothingLeft(t *testing.T) {
	e := tracing(t)
	run := func(text string) *Session {
		t.Helper()
		c, err := e.Compile(context.Background(), Script{Name: "script", Text: text, Options: options.Default()})
		if err != nil {
			t.Fatal(err)
		}
		s, err := marked(c).Start(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	end := func(s *Session) {
		t.Helper()
		for range 2 { // the second changes nothing
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	short := everything + `tick-10ms { exit(0); }`
	first := run(short) // opens what stays open: symbols, the runtime's poller
	all(first, 0)
	end(first)
	ungathered(t)
	before := take(t)
	for _, text := range []string{
		`BEGIN { exit(0); }`,
		`syscall:::entry { @[probefunc] = count(); } tick-10ms { exit(0); }`,
		`profile-97 { @[stack()] = count(); } tick-20ms { exit(0); }`,
		short,
	} {
		s := run(text)
		all(s, 0)
		end(s)
	}
	unread := run(everything)
	if held := take(t).objects; len(held) == 0 {
		t.Error("a script that runs has no program or map: the test sees nothing")
	}
	end(unread)
	nothingLeft(t, before)
}

// TestFailedStart lets every stage of a start fail: each leaves nothing.
func TestFailedStart(t *testing.T) {
	e := tracing(t)
	ungathered(t)
	background := context.Background()
	canceled, cancel := context.WithCancel(background)
	cancel()
	facts := e.machine.Facts
	for _, tt := range []struct {
		stage string
		ctx   context.Context
		spoil func(c *Compiled)
		want  string // in the error
	}{
		{"load", background, func(c *Compiled) {
			for _, p := range c.plan.Object.Spec.Programs {
				p.Instructions = asm.Instructions{asm.Return()}
			}
			c.plan.WithoutTables = func() (*codegen.Object, error) { return c.plan.Object, nil }
		}, "the kernel refused the program"},
		{"record buffers", background, func(*Compiled) {
			e.machine.Facts.Possible = append(slices.Clone(facts.Possible), 1<<12)
		}, "set the record buffer of CPU 4096"},
		{"decoder", background, func(c *Compiled) { c.plan.Lowered.Layouts = nil }, "decode records"},
		{"context", canceled, func(*Compiled) {}, context.Canceled.Error()},
		{"BEGIN", background, func(c *Compiled) { c.plan.Units[len(c.plan.Units)-2].Special = "BEGIN" }, "run BEGIN"},
		{"attach", background, func(*Compiled) { e.machine.Facts.Online = []int{1 << 12} }, "attach to clock"},
	} {
		t.Run(tt.stage, func(t *testing.T) {
			c, err := e.Compile(background, Script{Name: "script", Text: everything, Options: options.Default()})
			if err != nil {
				t.Fatal(err)
			}
			before := take(t)
			tt.spoil(marked(c))
			s, err := c.Start(tt.ctx)
			e.machine.Facts = facts
			if err == nil {
				s.Close()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q does not say %q", err, tt.want)
			}
			nothingLeft(t, before)
		})
	}
}

// TestMissingHook takes one of many tracepoints away: the others are attached,
// and the run says which is missing.
func TestMissingHook(t *testing.T) {
	e := tracing(t)
	if !e.machine.Kernel.RawCookies() {
		t.Skip("this kernel has no cookies of raw tracepoints (Linux 6.10): no program serves many")
	}
	c, err := e.Compile(context.Background(), Script{Name: "script", Options: options.Default(),
		Text: `sdt:::sched_* { @[probename] = count(); } tick-100ms { exit(0); }`})
	if err != nil {
		t.Fatal(err)
	}
	c.plan.Object.Units[0].Hooks[0].Target = "taken_away"
	s, err := c.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := all(s, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(o.snap.Aggs) == 0 || len(o.snap.Aggs[0].Rows) == 0 {
		t.Error("nothing fired")
	}
	said := strings.Join(s.Hooks(), "\n")
	if !strings.Contains(said, "not used: attach to tracepoint taken_away") {
		t.Errorf("the hooks do not tell what is missing:\n%s", said)
	}
}
