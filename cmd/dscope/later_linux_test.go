package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestStorm holds that a run which waits for programs is no burden where they begin by
// the thousand, each copied to a file of its own just before, and that it still finds
// the one that matters.
func TestStorm(t *testing.T) {
	if !canTrace(t) {
		t.Skip("needs privileges to trace")
	}
	openToAll(t)
	dir := t.TempDir()
	cmd := exec.Command("dscope", "trace", "-Zv", "-x", "switchrate=10ms",
		"-n", `BEGIN { printf("ready\n"); } pid*:needle:main*:entry { printf("found\n"); exit(0); }`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}()
	lines := bufio.NewScanner(out)
	await := func(what string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return
			}
		}
		t.Fatalf("never said %q: %s", what, said.String())
	}
	await("ready")
	before := cpuOf(t, cmd.Process.Pid)
	begin := time.Now()
	storm := exec.Command("sh", "-c", `
i=0
while [ $i -lt 1500 ]; do
	/bin/true
	[ $((i % 10)) -ne 0 ] || { cp /bin/true straw$i && ./straw$i; rm -f straw$i; }
	i=$((i+1))
done`)
	storm.Dir = dir
	if said, err := storm.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	took, used := time.Since(begin), cpuOf(t, cmd.Process.Pid)-before
	t.Logf("1650 programs in %v: dscope used %v", took, used)
	if used > took/5 {
		t.Errorf("dscope used %v of the %v in which the programs began, more than a fifth", used, took)
	}
	if err := exec.Command("cp", os.Args[0], filepath.Join(dir, "needle")).Run(); err != nil {
		t.Fatal(err)
	}
	found := make(chan struct{})
	go func() {
		for { // the first process may have ended before its file is probed
			select {
			case <-found:
				return
			default:
				exec.Command(filepath.Join(dir, "needle"), "-test.run", "NoSuchTest").Run()
			}
		}
	}()
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() }) // and then there is no more to read
	await("found")
	late.Stop()
	close(found)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
}

// cpuOf returns the time of CPUs that a process has used, which the kernel tells in
// hundredths of a second.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var ticks time.Duration
	for _, word := range strings.Fields(rest)[11:13] { // utime, stime
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}
