package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// killed PROGRAM PROBES … runs the program, traces it by these probes, kills the
// tracer when each PROBES has fired, and looks whether anything is left of it:
// programs, maps and links in the kernel, lines in the files of tracefs and
// debugfs that tell of hooks, breakpoints and raised semaphores in the program.
// Where PROBES names $target, the program must have had breakpoints.
func killed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: killed program probes...")
	}
	probes := strings.Join(args[1:], " and ")
	v, err := startVictim(ts.MkAbs(args[0]))
	ts.Check(err)
	defer v.end()
	before := hooksToldOf(ts)
	ts.Check(v.touched())

	out, complaint := new(strings.Builder), new(bytes.Buffer)
	tracer := exec.Command("dscope", "trace", "-q", "-p", strconv.Itoa(v.pid()), "-n", untilFired(args[1:]))
	tracer.Stderr = complaint
	printed, err := tracer.StdoutPipe()
	ts.Check(err)
	ts.Check(tracer.Start())
	late := time.AfterFunc(2*time.Minute, func() { tracer.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(printed)
	for lines.Scan() && lines.Text() != "fired" {
		fmt.Fprintln(out, lines.Text())
	}
	held, heldErr := objectsOf(strconv.Itoa(tracer.Process.Pid))
	if heldErr == nil {
		heldErr = held.some()
	}
	during := v.touched()
	hooked := hooksToldOf(ts)
	tracer.Process.Kill()
	tracer.Wait()
	switch {
	case heldErr != nil:
		ts.Fatalf("%s: %v; the tracer said:\n%s%s", probes, heldErr, out, complaint)
	case strings.Contains(probes, "$target") && during == nil:
		ts.Fatalf("%s: nothing was put into the program: this check sees nothing", probes)
	case strings.Contains(probes, "fbt::") && hooked == before:
		ts.Fatalf("%s: no function was hooked: this check sees nothing", probes)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := errors.Join(held.left(), v.touched())
		if now := hooksToldOf(ts); now != before {
			left = errors.Join(left, fmt.Errorf("the kernel tells of hooks:\n%s\nbefore:\n%s", now, before))
		}
		if left == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s: %v", probes, left)
		}
	}
}

// untilFired is a script that says so when each of the lists of probes has fired.
func untilFired(lists []string) string {
	var text, all []string
	for i, probes := range lists {
		text = append(text, fmt.Sprintf("%s { n%d++; }", probes, i))
		all = append(all, fmt.Sprintf("n%d > 0", i))
	}
	counts := strings.ReplaceAll(strings.Join(all, ", "), " > 0", "")
	return strings.Join(text, "\n") + "\ntick-100ms /" + strings.Join(all, " && ") + `/ { printf("fired\n"); }` +
		"\n" + `tick-10s { printf("so far` + strings.Repeat(" %d", len(all)) + `\n", ` + counts + "); }"
}

// hooksToldOf returns the lines that tell of hooks in tracefs and debugfs, in a name
// space of mounts of its own: they need not be mounted here.
func hooksToldOf(ts *testscript.TestScript) string {
	const read = `T=/sys/kernel/tracing D=/sys/kernel/debug
[ -e $T/trace ] || mount -t tracefs nodev $T
[ -e $D/tracing ] || mount -t debugfs nodev $D
for f in $T/kprobe_events $T/uprobe_events $T/enabled_functions $D/kprobes/list; do [ ! -e $f ] || cat $f; done | sort`
	out, err := exec.Command("unshare", "-m", "sh", "-c", read).CombinedOutput()
	if err != nil {
		ts.Fatalf("read tracefs: %v: %s", err, out)
	}
	return string(out)
}

// A victim is the program that is traced.
type victim struct {
	cmd        *exec.Cmd
	text       []byte // its instructions, as the file has them
	at         uint64
	semaphores map[string]uint64
}

// startVictim runs a program, which is linked to fixed addresses, until it says that
// it is ready.
func startVictim(file string) (*victim, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v := &victim{cmd: exec.Command(file), semaphores: map[string]uint64{}}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			v.at = p.Vaddr
			if v.text, err = io.ReadAll(p.Open()); err != nil {
				return nil, err
			}
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if strings.HasSuffix(s.Name, "_semaphore") {
			v.semaphores[s.Name] = s.Value
		}
	}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.cmd.Start(); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		v.end()
		return nil, fmt.Errorf("%s says %q: %v", file, line, err)
	}
	return v, nil
}

func (v *victim) pid() int { return v.cmd.Process.Pid }

func (v *victim) end() {
	v.cmd.Process.Kill()
	v.cmd.Wait()
}

// touched tells what somebody has put into the program: breakpoints, listeners.
func (v *victim) touched() error {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", v.pid()))
	if err != nil {
		return err
	}
	defer mem.Close()
	now := make([]byte, len(v.text))
	if _, err := mem.ReadAt(now, int64(v.at)); err != nil {
		return fmt.Errorf("the program has gone: %w", err)
	}
	var found []error
	for i := range now {
		if now[i] != v.text[i] {
			found = append(found, fmt.Errorf("a breakpoint is at %#x", v.at+uint64(i)))
		}
	}
	for name, at := range v.semaphores {
		var n [2]byte
		if _, err := mem.ReadAt(n[:], int64(at)); err != nil {
			return err
		}
		if n != [2]byte{} {
			found = append(found, fmt.Errorf("%s is %d", name, n[0]))
		}
	}
	return errors.Join(found...)
}
