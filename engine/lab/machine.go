package lab

import (
	"bytes"
	"context"
	_ "embed" // for the init of machines
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Machine is what is to be booted.
type Machine struct {
	Kernel  *Kernel
	Files   map[string]string // file or folder of this machine by its path in the other
	Modules []string          // of the kernel, to be loaded first
	Command string            // lines for sh
	Memory  int               // in MiB; 0 for 2048
	CPUs    int               // 0 for two
	Network bool              // it has one, in which this machine's loopback is Loopback
}

// Loopback is the address by which a machine with a network reaches what listens on the
// loopback of this machine.
const Loopback = "10.0.2.2"

// ErrStopped is what Run wraps if a machine ended without a status: its kernel
// has had an accident. The error shows the end of its console.
var ErrStopped = errors.New("the machine stopped by itself")

// ErrLate is what Run wraps if a machine had not ended when it had to.
var ErrLate = errors.New("the machine did not end in time")

//go:embed init
var initScript string

// ended begins the last line that a machine sends.
const ended = "=== the command of this machine has ended with"

// Run boots the machine, runs its command, copies to out what that writes, and
// returns its exit status. Canceling ctx takes the machine down.
func (m *Machine) Run(ctx context.Context, out io.Writer) (status int, err error) {
	qemu, err := tool("qemu-system-x86_64", "qemu-system-x86")
	if err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp("", "dscope-lab-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	initrd, console := filepath.Join(tmp, "initrd"), filepath.Join(tmp, "console")
	if err := m.pack(initrd); err != nil {
		return 0, fmt.Errorf("pack the files of a machine: %w", err)
	}
	var complaint bytes.Buffer
	last := &lastLine{to: out}
	cmd := exec.CommandContext(ctx, qemu, m.arguments(initrd, console)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	noOrphan(cmd)
	runtime.LockOSThread() // which that is tied to
	defer runtime.UnlockOSThread()
	cmd.Stdout, cmd.Stderr = last, &complaint
	err = cmd.Run()
	if status, ok := last.status(); ok {
		return status, nil
	}
	seen, _ := os.ReadFile(console)
	why := ErrStopped
	if ctx.Err() != nil {
		why = ErrLate
	}
	return 0, fmt.Errorf("%w (%v)\n%s%s", why, err, tail(complaint.String(), 10), tail(string(seen), 40))
}

// arguments are QEMU's. Hardware support is not used where it is there: inside of
// another machine it often is there and fails. CPUs are emulated by one thread in turn: with a thread
// for each, QEMU 7.2 loses races with a kernel that patches its own text (static
// keys, ftrace, kprobes), and the kernel dies of an int3.
func (m *Machine) arguments(initrd, console string) []string {
	memory, cpus := m.Memory, m.CPUs
	if memory == 0 {
		memory = 2048
	}
	if cpus == 0 {
		cpus = 2
	}
	list := []string{"-accel", "tcg,thread=single", "-cpu", "max",
		"-smp", strconv.Itoa(cpus), "-m", strconv.Itoa(memory),
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-kernel", filepath.Join(m.Kernel.Dir, "vmlinuz"), "-initrd", initrd,
		"-append", "console=ttyS0 panic=-1 oops=panic loglevel=4",
		"-chardev", "file,id=console,path=" + console, "-device", "isa-serial,chardev=console",
		"-chardev", "stdio,id=out,signal=off", "-device", "isa-serial,chardev=out,irq=3"}
	if m.Network {
		list = append(list, "-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile=")
	}
	return list
}

// pack writes the file system of the machine.
func (m *Machine) pack(file string) error {
	busybox, err := tool("busybox", "busybox-static")
	if err != nil {
		return err
	}
	if busybox, err = filepath.EvalSymlinks(busybox); err != nil {
		return err
	}
	if static, err := isStatic(busybox); err != nil || !static {
		return errors.Join(fmt.Errorf("%s is not static; as root: apt-get install busybox-static", busybox), err)
	}
	a, err := newArchive(file)
	if err != nil {
		return err
	}
	a.copy(busybox, ".lab/busybox")
	a.put(".lab/init", 0o755, initScript)
	a.symlink("init", "/.lab/init")
	a.device("dev/console", 5, 1)
	a.put(".lab/ended", 0o644, ended)
	a.put(".lab/command", 0o644, m.Command+"\n")
	loaded, err := m.modules(a)
	a.err = errors.Join(a.err, err)
	a.put(".lab/modules", 0o644, strings.Join(append(loaded, ""), "\n"))
	for guest, host := range m.Files {
		a.copy(host, strings.TrimPrefix(guest, "/"))
	}
	return a.close()
}

// A lastLine passes output on, but for the line by which a machine tells the
// status of its command.
type lastLine struct {
	to   io.Writer
	held []byte // a line that has begun
	told string // the line of the status
}

// Write passes on the lines that are whole.
func (l *lastLine) Write(p []byte) (int, error) {
	l.held = append(l.held, p...)
	for {
		line, rest, whole := bytes.Cut(l.held, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		before, told, found := strings.Cut(string(line), ended)
		if found {
			l.told = told
			line = []byte(before) // the output may have ended in the middle of a line
		} else {
			line = append(line, '\n')
		}
		if _, err := l.to.Write(line); err != nil {
			return 0, err
		}
		l.held = rest
	}
}

func (l *lastLine) status() (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(l.told))
	return n, err == nil
}

// tail returns the last n lines of a text, marked as what a console showed.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if text == "" {
		return ""
	}
	lines = lines[max(len(lines)-n, 0):]
	return "    " + strings.Join(lines, "\n    ") + "\n"
}
