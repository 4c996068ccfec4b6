package main

import (
	"bufio"
	"encoding/binary"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
)

// TestDeadman stops dscope, as probes do that leave it no time: the run is held back in
// the kernel, and aborted when dscope goes on, with what it had found.
func TestDeadman(t *testing.T) {
	mustTrace(t)
	for name, probe := range map[string]string{"tracepoint": "rawtp:::sched_switch", "clock": "profile-97"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("dscope", "trace", "-q", "-x", "deadman=1s", "-n",
				probe+` { @n["firings"] = count(); } `+probe+` /!seen++/ { printf("begun\n"); } END { printf("the end\n"); }`)
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill() })
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != "begun" {
				t.Fatalf("it prints %q: %s", lines.Text(), errs.String())
			}
			held := heldBy(t, cmd.Process.Pid)
			cmd.Process.Signal(syscall.SIGSTOP)
			waitFor(t, "the probes to be held back", func() bool { return held.stopWord(t) == codegen.Killed })
			cmd.Process.Signal(syscall.SIGCONT)
			var rest strings.Builder
			for lines.Scan() {
				rest.WriteString(lines.Text())
			}
			err = cmd.Wait()
			if cmd.ProcessState.ExitCode() != exitError {
				t.Errorf("it ended with %v", err)
			}
			if got := rest.String(); !strings.Contains(got, "firings") || strings.Contains(got, "the end") {
				t.Errorf("it printed %q at the end", got)
			}
			if want := "dtrace: processing aborted: Abort due to systemic unresponsiveness: "; !strings.Contains(errs.String(), want) {
				t.Errorf("it said %q", errs.String())
			}
			held.gone(t)
		})
	}
}

// TestNoDeadman runs what cannot hold up the machine, and what may: nobody watches.
func TestNoDeadman(t *testing.T) {
	mustTrace(t)
	for _, args := range [][]string{
		{"-n", `syscall:::entry /!seen++/ { printf("begun\n"); } syscall:::entry { @ = count(); }`},
		{"-wn", `rawtp:::sched_switch /!seen++/ { printf("begun\n"); }`},
	} {
		cmd := exec.Command("dscope", append([]string{"trace", "-q"}, args...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		bufio.NewScanner(out).Scan()
		for _, id := range heldBy(t, cmd.Process.Pid).progs {
			p, err := ebpf.NewProgramFromID(id)
			if err != nil {
				t.Fatal(err)
			}
			info, err := p.Info()
			p.Close()
			if err != nil {
				t.Fatal(err)
			}
			if info.Name == "deadman" {
				t.Errorf("%v is watched", args)
			}
		}
	}
}

// stopWord returns what holds back the probes of a run.
func (o kernelObjects) stopWord(t *testing.T) uint32 {
	for _, id := range o.maps {
		m, err := ebpf.NewMapFromID(id)
		if err != nil {
			t.Fatal(err)
		}
		info, err := m.Info()
		if err == nil && info.Name == "control" {
			var words [codegen.ControlSize]byte
			err = m.Lookup(uint32(0), &words)
			m.Close()
			if err != nil {
				t.Fatal(err)
			}
			return binary.NativeEndian.Uint32(words[codegen.ControlStop:])
		}
		m.Close()
	}
	t.Fatal("the run has no word that holds back its probes")
	return 0
}
