package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// floodScript prints a line for every system call of the machine.
const floodScript = `#pragma D option airbag=off
#pragma D option estimate=off
syscall:::entry { printf("%s %s\n", execname, probefunc); }` + "\n"

// flooded opens the workbench on the flood, with a process that does nothing
// but system calls, and waits until events come.
func flooded(t testing.TB) *terminal {
	t.Helper()
	_, begin := started(t, "calls", "0")
	tty := openSize(t, 120, 40, nil, "dscope", script(t, floodScript))
	tty.shows("syscall:::entry")
	begin()
	tty.keys("\x12")
	tty.shows("getppid")
	return tty
}

// BenchmarkKeyUnderFlood is the time from a key to the first frame that shows
// what it did, while every system call of the machine is printed: a letter is
// typed into the script, and rubbed out again.
func BenchmarkKeyUnderFlood(b *testing.B) {
	mustTrace(b)
	tty := flooded(b)
	var took []time.Duration
	for typed := true; b.Loop(); typed = !typed {
		key := "\x7f"
		if typed {
			key = "Z"
		}
		from := time.Now()
		tty.keys(key)
		tty.until("answer to the key", func(p string) bool { return strings.Contains(p, "Z#pragma") == typed })
		took = append(took, time.Since(from))
	}
	b.StopTimer()
	slices.Sort(took)
	at := func(q float64) float64 {
		return took[min(int(q*float64(len(took))), len(took)-1)].Seconds() * 1e3
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(at(1), "max-ms")
	tty.cmd.Process.Signal(syscall.SIGTERM)
	if code, want := tty.end(), exitSignal+int(syscall.SIGTERM); code != want {
		b.Errorf("exit code %d, want %d", code, want)
	}
}

// rss is the memory of a process, in bytes.
func rss(t testing.TB, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// most returns the largest memory that a process has within a time.
func most(t testing.TB, pid int, within time.Duration) (max int64) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if n := rss(t, pid); n > max {
			max = n
		}
	}
	return max
}

// Memory under a flood. The workbench keeps a bounded number of lines, and
// gathers a bounded number of events into a frame; what does not fit there
// stays in the kernel's buffers, which count what they lose.
const (
	workbenchBound = 256 << 20 // bytes in all, mapped buffers of the kernel included
	growthBound    = 32 << 20  // bytes between two moments of the flood
	traceBound     = 224 << 20 // bytes in all: 64 batches wait for the printer
)

// TestWorkbenchMemory floods the workbench: once its bounds are reached, its
// memory grows no more.
func TestWorkbenchMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	mustTrace(t)
	tty := flooded(t)
	pid := tty.cmd.Process.Pid
	most(t, pid, 4*time.Second) // until its buffers are full
	before := most(t, pid, 2*time.Second)
	most(t, pid, 3*time.Second)
	after := most(t, pid, 2*time.Second)
	t.Logf("%d MB, then %d MB", before>>20, after>>20)
	if after > workbenchBound {
		t.Errorf("takes %d MB, more than %d", after>>20, workbenchBound>>20)
	}
	if after-before > growthBound {
		t.Errorf("grew from %d MB to %d MB", before>>20, after>>20)
	}
	tty.keys("\x03")
	tty.shows("Leave?")
	tty.keys("y")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.givenBack()
}

var dropLine = regexp.MustCompile(`(?m)^dtrace: (\d+) drops? on CPU \d+$`)

// stalled waits until all that a process has started has ended, and returns how much memory
// it took meanwhile.
func stalled(t *testing.T, pid int) (memory int64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		memory = max(memory, rss(t, pid))
		under, err := exec.Command("ps", "-o", "stat=,comm=", "--ppid", strconv.Itoa(pid)).Output()
		if live := regexp.MustCompile(`(?m)^[^Z\s]\S*\s+calls`).Match(under); !live {
			return memory
		}
		if time.Now().After(end) {
			t.Fatalf("%v: still running: %s", err, under)
		}
	}
}

// TestTraceFlood drowns dscope trace behind a reader that stands still until all
// calls have been made: its memory stays bounded, and every call was either printed or
// is in a line about drops, to the last one.
func TestTraceFlood(t *testing.T) {
	mustTrace(t)
	const calls = 3_000_000
	cmd := exec.Command("dscope", "trace", "-q", "-b", "256k", "-c", fmt.Sprintf("calls %d", calls), "-n",
		`syscall::getppid:entry /pid == $target/ { printf("%s %s\n", execname, probefunc); }`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	var printed, memory int64
	r := bufio.NewReaderSize(out, 64<<10)
	for line := 0; ; line++ {
		text, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch text {
		case "calls getppid\n":
			printed++
		case "\n":
		default:
			t.Fatalf("line %d is %q", line, text)
		}
		if line == 1000 {
			memory = stalled(t, cmd.Process.Pid)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	var lost int64
	for _, m := range dropLine.FindAllStringSubmatch(complaints.String(), -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		lost += n
	}
	t.Logf("%d printed, %d reported as lost, %d MB", printed, lost, memory>>20)
	if printed+lost != calls {
		t.Errorf("%d printed + %d lost = %d, want %d; complaints:\n%.2000s", printed, lost, printed+lost, calls, complaints.String())
	}
	if lost == 0 {
		t.Error("nothing was lost: the flood was too weak to show anything")
	}
	if memory > traceBound {
		t.Errorf("took %d MB", memory>>20)
	}
}
