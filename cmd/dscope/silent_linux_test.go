package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/scout/scouttest"
)

// TestSilent traces a process whose program lies on a file system that has stopped to answer. Each
// run ends, wholly, while the file system still hangs, and says why it knows less.
func TestSilent(t *testing.T) {
	if !canTrace(t) {
		t.Skip("this takes the privileges to trace")
	}
	t.Parallel()
	program, err := os.ReadFile("/usr/bin/sleep")
	if err != nil {
		t.Skip(err)
	}
	for what, op := range map[string]uint32{"open": scouttest.Open, "getattr": scouttest.GetAttr} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			fs, err := scouttest.Mount(t.TempDir(), program)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer fs.Close()
			// By a shell: Go starts a program with a CPU of ours in its hands, of which the file system needs one.
			target := exec.Command("sh", "-c", "exec "+filepath.Join(fs.Dir, "prog")+" 1000")
			if err := target.Start(); err != nil {
				t.Fatal(err)
			}
			defer target.Wait()
			defer target.Process.Kill()
			for executed := false; !executed; time.Sleep(time.Millisecond) {
				name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", target.Process.Pid))
				if executed = string(name) == "prog\n"; err != nil {
					t.Fatal(err)
				}
			}
			fs.Silence(op)
			for script, want := range map[string]string{
				`pid$target:prog::entry { @[ustack()] = count(); }`:                        "prog: its file system does not answer",
				`syscall::nanosleep:entry { @[ustack()] = count(); } tick-1s { exit(0); }`: "prog: its file system does not answer",
			} {
				cmd := exec.Command("dscope", "trace", "-q", "-p", fmt.Sprint(target.Process.Pid), "-n", script)
				var said strings.Builder
				cmd.Stdout, cmd.Stderr = &said, &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				select {
				case <-ended:
				case <-time.After(2 * time.Minute):
					fs.Close() // or nothing could end it
					cmd.Process.Kill()
					t.Fatalf("%s: does not end; said %s", script, &said)
				}
				if !strings.Contains(said.String(), want) {
					t.Errorf("%s: said %s", script, &said)
				}
			}
		})
	}
}
