package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dscope.dev/probes/binary/binarytest"
)

// TestNothingLeftInProcesses kills dscope while it traces a process, and reads the
// memory of that: the breakpoint must go, and the process on.
func TestNothingLeftInProcesses(t *testing.T) {
	mustTrace(t)
	const text = `#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n) { __asm__ volatile(""); return n; }
int main(void) { printf("%p\n", (void *)work); fflush(stdout); for (;;) { work(1); usleep(1000); } }
`
	prog := binarytest.Compile(t, "spin.c", text, "-O1")
	spin := exec.Command(prog)
	out, err := spin.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := spin.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { spin.Process.Kill(); spin.Wait() })
	var addr uint64
	if _, err := fmt.Fscanf(out, "0x%x\n", &addr); err != nil {
		t.Fatal(err)
	}
	before := instruction(t, spin.Process.Pid, addr)

	for _, clause := range []string{"entry", "return", "entry, pid$target:a.out:main:entry"} {
		tracer := exec.Command("dscope", "trace", "-q", "-x", "switchrate=50hz", "-p", fmt.Sprint(spin.Process.Pid),
			"-n", "pid$target:a.out:work:"+clause+` { printf("fired\n"); }`)
		seen, err := tracer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tracer.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(seen)
		for lines.Scan() && !strings.Contains(lines.Text(), "fired") {
		}
		if during := instruction(t, spin.Process.Pid, addr); during == before {
			t.Errorf("%s: nothing was put at %#x", clause, addr)
		}
		tracer.Process.Kill()
		tracer.Wait()
		for deadline := time.Now().Add(20 * time.Second); instruction(t, spin.Process.Pid, addr) != before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: a killed tracer left its breakpoint at %#x", clause, addr)
			}
		}
	}
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", spin.Process.Pid)); err != nil || strings.Contains(string(stat), ") Z ") {
		t.Errorf("the process has ended: %s %v", stat, err)
	}
}

// instruction reads the first bytes of what a process executes at an address.
func instruction(t *testing.T, pid int, addr uint64) byte {
	t.Helper()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	var b [1]byte
	if _, err := io.ReadFull(io.NewSectionReader(mem, int64(addr), 1), b[:]); err != nil {
		t.Fatal(err)
	}
	return b[0]
}
