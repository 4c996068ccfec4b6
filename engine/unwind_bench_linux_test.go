package engine

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// deepSource calls getppid many times in a recursion for each byte that it is given.
const deepSource = `#include <unistd.h>
#include <string.h>
__attribute__((noinline, noipa)) int recurse(int n) {
	char buf[32];
	memset(buf, n, sizeof buf);
	if (n == 0) for (int i = 0; i < 2000; i++) getppid();
	else return recurse(n - 1) + buf[n % 32] + 1;
	return buf[3];
}
int main(void) {
	char c;
	while (read(0, &c, 1) == 1) { if (c) recurse(24); write(1, &c, 1); }
	return 0;
}
`

// BenchmarkStacks is what a stack of a process costs as a key, 26 frames of the program
// and those of the C library below: the time inside the program for each firing, as the
// kernel tells it, by the tables and as the kernel walks it.
func BenchmarkStacks(b *testing.B) {
	for _, way := range []string{"tables", "kernel"} {
		b.Run(way, func(b *testing.B) {
			set := []string{}
			flags := []string{"-O1", "-fomit-frame-pointer"}
			if way == "kernel" {
				set, flags = append(set, "nounwind=1"), []string{"-O1", "-fno-omit-frame-pointer"}
			}
			e := tracing(b)
			k := talk(b, deepSource, flags...)
			s := started(b, e, `syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }`, k.Process.Pid, set...)
			time.Sleep(100 * time.Millisecond) // until its tables are known
			stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
			if err != nil {
				b.Skip(err)
			}
			defer stats.Close()
			least := time.Hour
			for b.Loop() {
				before := spent(b, s)
				if _, err := k.in.Write([]byte{1}); err != nil {
					b.Fatal(err)
				}
				var c [1]byte
				if _, err := io.ReadFull(k.out, c[:]); err != nil {
					b.Fatal(err)
				}
				least = min(least, (spent(b, s)-before)/2000)
			}
			b.ReportMetric(float64(least.Nanoseconds()), "least-ns/stack")
			s.Stop()
			all(s, 0)
		})
	}
}

// spent returns how long the programs of a session have run. Those of system calls run
// for all processes, which the least of many measurements tells little of.
func spent(b *testing.B, s *Session) (total time.Duration) {
	b.Helper()
	for _, e := range s.c.Object.Entries {
		stats, err := s.kernel.Prog(e.Prog).Stats()
		if err != nil {
			b.Fatal(err)
		}
		total += stats.Runtime
	}
	return total
}

// BenchmarkPythonStacks is what a stack takes that has 20 functions of Python beside those of C.
func BenchmarkPythonStacks(b *testing.B) {
	found := pythons(b)
	for _, version := range pythonVersions {
		if len(found[version]) == 0 {
			continue
		}
		for _, set := range []string{"", "nounwind=1"} {
			b.Run(version+set, func(b *testing.B) {
				e := tracing(b)
				k := exec.Command(found[version][0], "-c", `import os, sys
def down(n):
    if n: return down(n - 1)
    for _ in range(2000): os.getppid()
for _ in sys.stdin:
    down(18)
    print(flush=True)
`)
				in, _ := k.StdinPipe()
				out, _ := k.StdoutPipe()
				if err := k.Start(); err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { in.Close(); k.Wait() })
				options := []string{}
				if set != "" {
					options = append(options, set)
				}
				s := started(b, e, `syscall::getppid:entry /pid == $target/ { @[ustack(40)] = count(); }`, k.Process.Pid, options...)
				lines := bufio.NewScanner(out)
				least := time.Hour
				stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
				if err != nil {
					b.Skip(err)
				}
				defer stats.Close()
				for b.Loop() {
					before := spent(b, s)
					if _, err := io.WriteString(in, "\n"); err != nil || !lines.Scan() {
						b.Fatal("the program has ended")
					}
					least = min(least, (spent(b, s)-before)/2000)
				}
				b.ReportMetric(float64(least.Nanoseconds()), "least-ns/stack")
				s.Stop()
				all(s, 0)
			})
		}
	}
}
