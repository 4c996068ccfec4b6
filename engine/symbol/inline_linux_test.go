package symbol

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dscope.dev/probes/binary/binarytest"
)

// whereabouts tells where in memory the code of an inlined function is, which is in
// another one, which is in main.
const whereabouts = `#include <stdio.h>
#if defined(__x86_64__)
#define HERE(p) asm volatile("leaq -1(%%rip), %0" : "=r"(p))
#else
#define HERE(p) asm volatile("adr %0, ." : "=r"(p))
#endif
static inline __attribute__((always_inline)) void *deep(void) { void *p; HERE(p); return p; }
static inline __attribute__((always_inline)) void *middle(void) { return deep(); }
int main(void) { printf("%p\n", middle()); fflush(stdout); getchar(); return 0; }
`

// start builds and starts a program that prints an address and then waits.
func start(t *testing.T, source string, flags ...string) (pid uint32, addr uint64, end func()) {
	t.Helper()
	cmd := exec.Command(binarytest.Compile(t, "prog.c", source, flags...))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(lines).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "0x%x", &addr); err != nil {
		t.Fatal(err)
	}
	return uint32(cmd.Process.Pid), addr, func() { in.Close(); cmd.Wait() }
}

func TestInlinedFrames(t *testing.T) {
	pid, addr, end := start(t, whereabouts, "-g", "-O2")
	table := New(nil)
	shown := func() string {
		var names []string
		for _, f := range table.Frames(nil, pid, addr, false) {
			name, _, _ := strings.Cut(f.String(), "+")
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	const want = "prog`deep [inlined] prog`middle [inlined] prog`main"
	if got := shown(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	end()
	table.procs[pid].read = time.Time{} // long ago
	if got := shown(); got != want {
		t.Errorf("after its end %s, want %s", got, want)
	}
}

func TestInlinedFramesLeftOut(t *testing.T) {
	pid, addr, end := start(t, whereabouts, "-g", "-O2")
	defer end()
	table := New(nil)
	table.NoInline = true
	if f := table.Frames(nil, pid, addr, false); len(f) != 1 || f[0].Symbol != "main" {
		t.Errorf("%v, want main alone", f)
	}
}
