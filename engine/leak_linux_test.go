package engine

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// holdings are what there is in the kernel, and what this process holds of it.
type holdings struct {
	files    int // descriptors
	mappings int // of the memory of maps
	programs map[uint32]bool
	maps     map[uint32]bool
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
	return holdings{len(files), strings.Count(string(mem), "bpf"), ids(ebpf.ProgramGetNextID), ids(ebpf.MapGetNextID)}
}

// ids lists all programs, or all maps.
func ids[ID ~uint32](next func(ID) (ID, error)) map[uint32]bool {
	all := map[uint32]bool{}
	id, err := next(0)
	for ; err == nil; id, err = next(id) {
		all[uint32(id)] = true
	}
	return all
}

// nothingLeft fails if this process holds more than before, or if the kernel
// has programs or maps that it had not and that no other process holds. The
// kernel frees them a grace period after they are given back.
func nothingLeft(t *testing.T, before holdings) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		now := take(t)
		programs := orphans(t, "prog_id", now.programs, before.programs)
		tables := orphans(t, "map_id", now.maps, before.maps)
		if now.files == before.files && now.mappings == before.mappings && len(programs)+len(tables) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors, want %d; %d mappings, want %d; nobody holds programs %v and maps %v",
				now.files, before.files, now.mappings, before.mappings, programs, tables)
		}
	}
}

// orphans returns those of all that were not there before and that no other
// process has open.
func orphans(t testing.TB, field string, all, before map[uint32]bool) []uint32 {
	t.Helper()
	fresh := maps.Clone(all)
	maps.DeleteFunc(fresh, func(id uint32, _ bool) bool { return before[id] })
	if len(fresh) == 0 {
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/fdinfo/*")
	if err != nil {
		t.Fatal(err)
	}
	own := fmt.Sprintf("/proc/%d/", os.Getpid())
	for _, f := range files {
		if strings.HasPrefix(f, own) {
			continue
		}
		b, _ := os.ReadFile(f) // or it has been closed
		for line := range strings.Lines(string(b)) {
			var id uint32
			if n, _ := fmt.Sscanf(line, field+":%d", &id); n == 1 {
				delete(fresh, id)
			}
		}
	}
	return slices.Sorted(maps.Keys(fresh))
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

// TestNothingLeft looks for what no process holds after runs that ended in each
// of the ways.
func TestNothingLeft(t *testing.T) {
	e := tracing(t)
	all(started(t, e, everything+`tick-10ms { exit(0); }`, 0), 0) // opens what stays open: symbols, the runtime's poller
	ungathered(t)
	before := take(t)
	for _, text := range []string{
		`BEGIN { exit(0); }`,
		`syscall:::entry { @[probefunc] = count(); } tick-10ms { exit(0); }`,
		`profile-97 { @[stack()] = count(); } tick-20ms { exit(0); }`,
		everything + `tick-10ms { exit(0); }`,
	} {
		s := started(t, e, text, 0)
		all(s, 0)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}
	s := started(t, e, everything, 0) // nobody reads it
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	nothingLeft(t, before)
}

// TestFailedStart lets every stage of a start fail: each leaves nothing.
func TestFailedStart(t *testing.T) {
	e := tracing(t)
	ungathered(t)
	background := context.Background()
	canceled, cancel := context.WithCancel(background)
	cancel()
	facts := e.facts
	for _, tt := range []struct {
		stage string
		ctx   context.Context
		spoil func(c *Compiled)
		want  string // in the error
	}{
		{"load", background, func(c *Compiled) {
			for _, p := range c.Object.Spec.Programs {
				p.Instructions = asm.Instructions{asm.Return()}
			}
		}, "the kernel refused the program"},
		{"record buffers", background, func(*Compiled) {
			e.facts.Possible = append(slices.Clone(facts.Possible), 1<<12)
		}, "set the record buffer of CPU 4096"},
		{"decoder", background, func(c *Compiled) { c.Lowered.Layouts = nil }, "decode records"},
		{"context", canceled, func(*Compiled) {}, context.Canceled.Error()},
		{"BEGIN", background, func(c *Compiled) { c.units[len(c.units)-2].special = "BEGIN" }, "run BEGIN"},
		{"attach", background, func(*Compiled) { e.facts.Online = []int{1 << 12} }, "attach to clock"},
	} {
		t.Run(tt.stage, func(t *testing.T) {
			c, err := e.Compile(background, Script{Name: "script", Text: everything, Options: DefaultOptions(), Level: 1})
			if err != nil {
				t.Fatal(err)
			}
			before := take(t)
			tt.spoil(c)
			s, err := e.Start(tt.ctx, c)
			e.facts = facts
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
	if !e.kernel.RawCookies() {
		t.Skip("this kernel has no cookies of raw tracepoints (Linux 6.10): no program serves many")
	}
	c, err := e.Compile(context.Background(), Script{Name: "script", Options: DefaultOptions(), Level: 1,
		Text: `sdt:::sched_* { @[probename] = count(); } tick-100ms { exit(0); }`})
	if err != nil {
		t.Fatal(err)
	}
	c.Object.Units[0].Hooks[0].Target = "taken_away"
	s, err := e.Start(context.Background(), c)
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
