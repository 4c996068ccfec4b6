package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// A soaking is one turn of a soak: tracers that run side by side, each a command line of
// dscope in which SECONDS stands for how long.
type soaking struct {
	what string
	runs [][]string
}

func asTrace(script string) []string {
	return []string{"trace", "-qvZ", "-o", os.DevNull, "-n", script + " tick-SECONDSs { exit(0); }"}
}

// lockers are programs of several kinds at one lock, which the helpers of each come to.
const lockers = `fbt::_raw_spin_lock:entry, fbt::_raw_spin_lock_irqsave:entry { self->lock = arg0; @e[arg0 & 0xfff] = count(); }
	fbt::_raw_spin_lock:return, fbt::_raw_spin_lock_irqsave:return { @r[caller, self->lock] = count(); self->lock = 0; }
	fbt::_raw_spin_unlock:entry, fbt::_raw_spin_unlock_irqrestore:entry { @u[stack(3)] = count(); at[arg0] = timestamp; at[arg0] = 0; }
	rawtp:::contention_begin, rawtp:::contention_end { printf("%s %x\n", probefunc, arg0); }
	syscall::read:entry { self->t = timestamp; } syscall::read:return /self->t/ { @t[execname] = quantize(timestamp - self->t); self->t = 0; }
	profile-199 { @p[arg0, stack(2)] = count(); }`

var soakings = []soaking{
	{"lockstat -A", [][]string{
		{"lockstat", "-A", "-o", os.DevNull, "sleep", "SECONDS"},
		asTrace(`rawfbt::_raw_spin_lock:entry, rawfbt::_raw_spin_unlock:entry { @[probefunc, arg0 & 0xff] = count(); } rawtp:::contention_end { @c[arg0] = count(); }`)}},
	{"lockstat -H", [][]string{
		{"lockstat", "-H", "-s", "6", "-o", os.DevNull, "sleep", "SECONDS"}, asTrace(lockers)}},
	{"fbt:::", [][]string{
		asTrace(`fbt:::entry { @[probefunc] = count(); } fbt:::return { @r[probefunc] = count(); }`),
		asTrace(`fbt::_raw_spin_lock:return, fbt::vfs_read:entry { @[probefunc, caller, timestamp / 10000] = count(); }`)}},
	{"fbt::: beside calls", [][]string{
		asTrace(`fbt:::entry { @[probefunc, execname] = count(); } syscall:::entry { @s[execname, probefunc] = count(); }`),
		asTrace(`rawtp:::sched_switch { self->on = timestamp; @[stack(4)] = count(); } rawtp:::sched_wakeup { @w[execname] = count(); }`)}},
	{"lock functions", [][]string{
		asTrace(lockers), asTrace(`fbt::*raw_spin*:entry, fbt::*raw_read*:entry, fbt::*raw_write*:entry, fbt::*spin_lock_slowpath:entry, fbt::*mutex*:entry { @[probefunc, caller] = count(); } syscall:::entry { @s = count(); }`)}},
	{"memory", [][]string{
		asTrace(`dtmalloc::: { @[probefunc] = count(); } rawtp:::kmalloc, rawtp:::kfree, rawtp:::kmem_cache_alloc, rawtp:::kmem_cache_free, rawtp:::mm_page_alloc, rawtp:::mm_page_free { @k[probefunc, caller] = count(); }`),
		asTrace(`fbt::*kmem_cache_alloc*:entry, fbt::*kmalloc*:entry, fbt::kfree:entry, fbt::*slab_alloc*:entry, fbt::rmqueue*:entry, fbt::get_page_from_freelist:entry { @[probefunc, stack(2)] = count(); }
			fbt::get_page_from_freelist:entry { self->order = arg1 + 1; } fbt::get_page_from_freelist:return /self->order/ { @o[self->order] = count(); self->order = 0; }`)}},
	{"insides of maps", [][]string{
		asTrace(`fbt::htab_*:entry, fbt::*pcpu_freelist*:entry, fbt::bpf_ringbuf*:entry, fbt::bpf_get_stackid*:entry, fbt::*htab*update*:return, fbt::*bpf_*storage*:entry { @[probefunc] = count(); }
			syscall:::entry { self->n++; @s[probefunc, stack(2)] = count(); printf("%s\n", probefunc); } rawtp:::sched_switch { @c[execname] = count(); }`),
		asTrace(`fbt::call_rcu*:entry, fbt::irq_work*:entry, fbt::__rcu_read_lock:entry, fbt::__rcu_read_unlock:entry, fbt::*rcu_note*:entry, fbt::*_lock*:entry { @[probefunc, execname] = count(); } rawtp:::rcu_utilization { @r = count(); }`)}},
	{"all tracepoints", [][]string{
		asTrace(`rawtp::: { @[probefunc] = count(); } io::: { @i[probename] = count(); } sched::: { @s[probename] = count(); }`),
		asTrace(`sdt::: { @[probefunc, execname] = count(); } fbt::_raw_spin_lock:return { @l[caller] = count(); }`)}},
	{"instructions of locks", [][]string{
		asTrace(`kinst::_raw_spin_lock: { @[probename] = count(); } syscall::read:entry { @r[execname] = count(); }`), asTrace(lockers)}},
}

// A soaked is what came of a turn.
type soaked struct {
	ended   int      // runs that ended when they should
	misses  int      // firings that these told of as missed
	left    int      // functions that one of them left out by name
	held    int      // runs that the deadman ended, because the machine came to nothing else
	refused []string // why others did not start
}

// TestSoak traces the locks of the kernel, its memory and all that it does, with several
// tracers side by side under load, for as long as DSCOPE_SOAK says. What is asked for must
// end when it should, or be refused by name. A machine that does not stand it stops: see
// testdata/matrix/README.md.
func TestSoak(t *testing.T) {
	long, err := time.ParseDuration(cmp.Or(os.Getenv("DSCOPE_SOAK"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	if long == 0 {
		t.Skip("traces locks under load for as long as DSCOPE_SOAK says, which may hang a machine: use one that is emulated")
	}
	mustTrace(t)
	kinds := strings.Fields(cmp.Or(strings.ReplaceAll(os.Getenv("DSCOPE_LOAD"), ",", " "), "reads forks futexes sockets memory"))
	foreign(t)
	var uts unix.Utsname
	if err := unix.Uname(&uts); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	end := begun.Add(long)
	each := max(long/time.Duration(3*len(soakings)), 5*time.Second) // hooking and letting go take as long again
	totals := make([]soaked, len(soakings))
	for n := 0; time.Now().Before(end) && !t.Failed(); n++ {
		kind := []string{kinds[n%len(kinds)]}
		if n%3 == 0 {
			kind = kinds // all at once, which may be more than the machine can do beside its tracers
		}
		s := soakings[n%len(soakings)]
		soakOne(t, s, kind, min(each, max(time.Until(end), time.Second)), &totals[n%len(soakings)])
	}
	t.Logf("figures: %s, %.1f minutes, load %s: alive", unix.ByteSliceToString(uts.Release[:]), time.Since(begun).Minutes(), strings.Join(kinds, " "))
	t.Logf("figures: %-22s %6s %8s %12s %9s  %s", "tracers", "ended", "deadman", "misses", "left out", "refused by name")
	for i, s := range totals {
		t.Logf("figures: %-22s %6d %8d %12d %9d  %s", soakings[i].what, s.ended, s.held, s.misses, s.left, strings.Join(s.refused, " / "))
	}
}

var (
	missLine = regexp.MustCompile(`(\d+) recursion miss`)
	leftLine = regexp.MustCompile(`left out because [^:]*: (.*)`)

	refusedLine = regexp.MustCompile(`^(dtrace|lockstat): .*(this kernel hooks them one by one|which would take minutes|which may wait for ever there|has not got)`)
)

// soakOne runs the tracers of a turn side by side under load, and adds up what they say.
func soakOne(t *testing.T, s soaking, kinds []string, long time.Duration, total *soaked) {
	seconds := strconv.Itoa(max(int(long.Seconds()), 1))
	fmt.Printf("soak: %s for %s s, load %s\n", s.what, seconds, strings.Join(kinds, " "))
	busy := exec.Command("load", kinds...)
	busy.Stderr = os.Stderr
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	defer busy.Wait()
	defer busy.Process.Kill()
	// A slow machine takes minutes to find and hook all functions, and as long to let them go;
	// and the clock of one that is emulated jumps when its host has stood still.
	ctx, cancel := context.WithTimeout(t.Context(), long+12*time.Minute)
	defer cancel()
	said := make([]bytes.Buffer, len(s.runs))
	errs := make([]error, len(s.runs))
	var running sync.WaitGroup
	for i, run := range s.runs {
		running.Go(func() {
			args := strings.Split(strings.ReplaceAll(strings.Join(run, "\x00"), "SECONDS", seconds), "\x00")
			cmd := exec.CommandContext(ctx, "dscope", args...)
			cmd.Stderr = &said[i]
			errs[i] = cmd.Run()
		})
	}
	running.Wait()
	for i, err := range errs {
		reason := refusal(said[i].String())
		if err != nil && ctx.Err() == nil && strings.Contains(said[i].String(), "Abort due to systemic unresponsiveness") {
			total.held++
		} else if err != nil && (reason == "" || ctx.Err() != nil) {
			t.Errorf("%v after %s s and more: dscope %s\n%s", err, seconds, strings.Join(s.runs[i], " "), said[i].String())
		} else if err != nil && !slices.Contains(total.refused, reason) {
			total.refused = append(total.refused, reason)
		} else if err == nil {
			total.add(said[i].String())
		}
	}
}

// add notes what a run said that has ended.
func (s *soaked) add(said string) {
	s.ended++
	for _, m := range missLine.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(m[1])
		s.misses += n
	}
	left := 0
	for _, m := range leftLine.FindAllStringSubmatch(said, -1) {
		left += len(strings.Fields(m[1]))
	}
	s.left = max(s.left, left)
}

// refusal returns why a run was refused before it began, in one line.
func refusal(said string) string {
	for line := range strings.Lines(said) {
		if reason := strings.TrimSpace(line); refusedLine.MatchString(reason) {
			return reason
		}
	}
	return ""
}

// foreign attaches programs such as other tracers have, to the same functions: they know
// nothing of ours. One takes the locks of a table; one, which the kernel lets interrupt all
// others, takes none.
func foreign(t *testing.T) {
	t.Helper()
	table := newMap(t, &ebpf.MapSpec{Type: ebpf.PerCPUHash, KeySize: 8, ValueSize: 8, MaxEntries: 1024})
	cell := newMap(t, &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1})
	byKprobe := newProgram(t, &ebpf.ProgramSpec{Type: ebpf.Kprobe, License: "Dual MIT/GPL", Instructions: asm.Instructions{
		asm.FnKtimeGetNs.Call(),
		asm.And.Imm(asm.R0, 0xfff),
		asm.StoreMem(asm.RFP, -8, asm.R0, asm.DWord),
		asm.StoreMem(asm.RFP, -16, asm.R0, asm.DWord),
		asm.LoadMapPtr(asm.R1, table.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -8),
		asm.Mov.Reg(asm.R3, asm.RFP), asm.Add.Imm(asm.R3, -16),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnMapUpdateElem.Call(),
		asm.LoadMapPtr(asm.R1, table.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -8),
		asm.FnMapDeleteElem.Call(),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	}})
	byTrampoline := newProgram(t, &ebpf.ProgramSpec{Type: ebpf.Tracing, AttachType: ebpf.AttachTraceFEntry, AttachTo: "_raw_spin_unlock",
		License: "Dual MIT/GPL", Instructions: asm.Instructions{
			asm.LoadMapValue(asm.R1, cell.FD(), 0),
			asm.Mov.Imm(asm.R2, 1),
			asm.AddAtomic.Mem(asm.R1, asm.R2, asm.DWord, 0),
			asm.Mov.Imm(asm.R0, 0),
			asm.Return(),
		}})
	kprobe, err := link.Kprobe("_raw_spin_lock", byKprobe, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kprobe.Close() })
	tramp, err := link.AttachTracing(link.TracingOptions{Program: byTrampoline})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tramp.Close() })
}

func newMap(t *testing.T, spec *ebpf.MapSpec) *ebpf.Map {
	t.Helper()
	m, err := ebpf.NewMap(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func newProgram(t *testing.T, spec *ebpf.ProgramSpec) *ebpf.Program {
	t.Helper()
	p, err := ebpf.NewProgram(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
