package kinst_test

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/binary/binarytest"
	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/kinst"
)

// stepped is a program that counts itself how often functions are called that are
// inlined: with early returns, loops, in conditions, one within another, and as the last
// thing that their callers do.
const stepped = `
#define ALWAYS static inline __attribute__((always_inline))
#define APART __attribute__((noinline, noclone))
volatile long count_early, count_loop, count_nested, count_choice, count_empty, sink;
static unsigned long seed = 42;
void _stext(void) { __asm__ volatile("nop"); }
APART unsigned rnd(void) { seed = seed * 6364136223846793005UL + 1442695040888963407UL; return seed >> 33; }
ALWAYS long early(long a, long b) {
	count_early++;
	if (a < 3) return b;
	if (b & 1) { sink = a; return a - b; }
	if ((unsigned long)a > 90 || b > 50) return 7;
	sink += b;
	return a * b;
}
ALWAYS long loop(long n) { count_loop++; long s = 0; for (long i = 0; i < n; i++) { if (i == 5) break; s += sink ^ i; } return s; }
ALWAYS long nested(long a) { count_nested++; if (a == 4) return early(a, 1); return a & 8 ? loop(a & 7) + early(a, a) : 0; }
ALWAYS void empty(long a) { count_empty++; if (a > 40) sink = a; }
ALWAYS long choice(long a) {
	count_choice++;
	switch (a & 7) { case 0: return sink; case 1: return early(a, sink); case 3: sink++; return 5; case 6: return -a; }
	return a;
}
APART long one(long a, long b) { if (a & 1) b += early(a, b); sink = b; return b; }
APART long two(long n) { long s = 0; for (long i = 0; i < n; i++) { s += nested(i + n); if (s > 1000) return s; } return s; }
APART long three(long a) { return choice(a) + (a > 50 ? choice(a + 1) : loop(a & 3)); }
APART void four(long a) { if (a & 2) empty(a); }
APART void five(long a) { empty(a); while (a > 10) { empty(a); a -= 7; } if (a == 3) sink = early(sink, a); }
APART long six(long a) { return early(early(a, sink), nested(a)); }
void _start(void) {
	for (int i = 0; i < 100; i++) {
		unsigned r = rnd();
		one(r % 100, r / 100 % 100), two(r % 9), three(r % 100), four(r % 64), five(r % 60), six(r % 100);
	}
	__asm__ volatile("syscall" :: "a"(60), "D"(0));
	for (;;);
}
`

// TestEndsStepped runs the program step by step: each function ends as often as it
// begins, and begins as often as the program says. Where the compiler has made the code
// of a copy twice, for two ways that lead to it, the debug information tells of one
// beginning: what early() and empty() begin is then less.
func TestEndsStepped(t *testing.T) {
	for _, level := range []string{"-O1", "-O2", "-Os"} {
		t.Run(level, func(t *testing.T) { stepThrough(t, level) })
	}
}

func stepThrough(t *testing.T, level string) {
	const base, slide = 0x10000000, 0xffffffff80000000
	k := kerneltest.Read(t, "linux-6.18-amd64")
	program := binarytest.Compile(t, "program.c", stepped, level, "-g", "-ffreestanding", "-fno-pic", "-no-pie", "-fno-stack-protector",
		"-fno-jump-tables", "-nostdlib", "-static", "-Wl,--build-id", fmt.Sprintf("-Wl,-Ttext=%#x", base))
	k.Files = filepath.Dir(program)
	k.Run(t, program, slide)
	opened := k.Open(t)
	opened.UseImage("/program")
	p := kinst.New(opened, can)
	syms, err := opened.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	functions := []string{"early", "loop", "nested", "choice", "empty"}
	begun, ended := map[string]int64{}, map[string]int64{}
	type event struct {
		function string
		jump     probes.Condition
		count    map[string]int64
	}
	at := map[uint64][]event{}
	for _, f := range functions {
		for name, count := range map[string]map[string]int64{"entry": begun, "return": ended} {
			pat := probes.Pattern{Provider: "kinst", Module: "vmlinux", Function: f, Name: name}
			for _, s := range sitesOf(t, p, pat) {
				anchor, ok := syms.Find("vmlinux", s.Hook.Target)
				if !ok {
					t.Fatal(s.Hook)
				}
				pc := anchor.Addr + s.Hook.Offset - slide
				at[pc] = append(at[pc], event{f, s.Jump, count})
			}
			if left := p.LeftOut(pat); len(left) > 0 {
				t.Errorf("left out: %q", left)
			}
		}
	}
	counted := steps(t, program, func(pc, flags uint64) {
		for _, e := range at[pc] {
			if e.jump == 0 || jumps(e.jump, flags) {
				e.count[e.function]++
			}
		}
	})
	for _, f := range functions {
		t.Logf("%s: %d", f, counted["count_"+f])
		twice := f == "early" || f == "empty"
		if want := counted["count_"+f]; begun[f] == 0 || begun[f] > want || begun[f] != want && !twice || ended[f] != begun[f] {
			t.Errorf("%s is called %d times; it begins %d times and ends %d times", f, want, begun[f], ended[f])
		}
	}
}

// jumps reports whether a jump on a condition is taken.
func jumps(c probes.Condition, flags uint64) bool {
	bit := func(n int) bool { return flags>>n&1 != 0 }
	carry, parity, zero, sign, overflow := bit(0), bit(2), bit(6), bit(7), bit(11)
	is := [...]bool{overflow, carry, zero, carry || zero, sign, parity, sign != overflow, zero || sign != overflow}[(c-1)>>1]
	return is != ((c-1)&1 != 0)
}

// steps runs a program instruction by instruction, tells of each before it is executed,
// and returns what its variables hold in the end.
func steps(t *testing.T, program string, each func(pc, flags uint64)) map[string]int64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("no process can be stepped through here: %v", err)
	}
	pid := cmd.Process.Pid
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait: %v, %v", err, status)
	}
	const exit = 60
	for {
		var regs syscall.PtraceRegs
		if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
			t.Fatal(err)
		}
		each(regs.Rip, regs.Eflags)
		code := make([]byte, 2)
		if _, err := syscall.PtracePeekText(pid, uintptr(regs.Rip), code); err != nil {
			t.Fatal(err)
		}
		if string(code) == "\x0f\x05" && regs.Rax == exit {
			return variables(t, program, pid)
		}
		if err := syscall.PtraceSingleStep(pid); err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
			t.Fatalf("step: %v, %v", err, status)
		}
	}
}

// variables reads the counters of a stopped program.
func variables(t *testing.T, program string, pid int) map[string]int64 {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for _, s := range syms {
		if !strings.HasPrefix(s.Name, "count_") {
			continue
		}
		b := make([]byte, 8)
		if _, err := syscall.PtracePeekData(pid, uintptr(s.Value), b); err != nil {
			t.Fatal(err)
		}
		found[s.Name] = int64(binary.LittleEndian.Uint64(b))
	}
	return found
}
