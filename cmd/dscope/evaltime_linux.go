package main

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"dscope.dev/dlang/machine"
	exe "dscope.dev/probes/binary"
)

// The option evaltime says how far the command of -c runs before tracing begins,
// as the guide has it: exec is before its first instruction, which is that of the
// dynamic linker; preinit is where its own code begins, before its constructors;
// postinit and main are where main() begins. A program without a symbol for main()
// is stopped at preinit instead.

// The times.
const (
	evalExec     = "exec"
	evalPreinit  = "preinit"
	evalPostinit = "postinit"
	evalMain     = "main"
)

// auxEntry is AT_ENTRY of the auxiliary vector: where the program itself begins.
const auxEntry = 9

// runTo lets a process that stands before its first instruction run on to where
// the option evaltime says. The calling thread holds it with ptrace(2).
func runTo(pid int, when string) error {
	if when == evalExec {
		return nil
	}
	entry, err := auxiliary(pid, auxEntry)
	if err != nil {
		return fmt.Errorf("find where pid %d begins: %w", pid, err)
	}
	at := entry
	if when != evalPreinit {
		if main, ok := mainOf(pid, entry); ok {
			at = main
		}
	}
	return runUntil(pid, uintptr(at))
}

// mainOf returns the address of main() of a program that begins at entry.
func mainOf(pid int, entry uint64) (uint64, bool) {
	f, err := exe.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return 0, false
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		return 0, false
	}
	for i := range syms.Len() {
		if s := syms.At(i); s.Name == "main" && !s.Label && s.Addr != 0 {
			return s.Addr + entry - f.Entry(), true
		}
	}
	return 0, false
}

// runUntil lets a process run until it comes to an address. Signals that it gets
// on the way are handed on.
func runUntil(pid int, at uintptr) error {
	m := machine.Of(runtime.GOARCH)
	if m == nil {
		return fmt.Errorf("stop pid %d at %#x: how, is known on x86-64 and arm64 alone", pid, at)
	}
	code := m.Trap
	old := make([]byte, len(code))
	if _, err := syscall.PtracePeekText(pid, at, old); err != nil {
		return fmt.Errorf("read the code of pid %d: %w", pid, err)
	}
	if _, err := syscall.PtracePokeText(pid, at, code); err != nil {
		return fmt.Errorf("stop pid %d at %#x: %w", pid, at, err)
	}
	sig := 0
	for {
		if err := syscall.PtraceCont(pid, sig); err != nil {
			return err
		}
		ws, err := waitStop(pid)
		if err != nil {
			return err
		}
		if sig = int(ws.StopSignal()); ws.StopSignal() == syscall.SIGTRAP {
			break
		}
	}
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
		return err
	}
	if _, err := syscall.PtracePokeText(pid, at, old); err != nil {
		return err
	}
	if m.Behind {
		regs.SetPC(uint64(at))
		return syscall.PtraceSetRegs(pid, &regs)
	}
	return nil
}

// waitStop waits until a process stops.
func waitStop(pid int) (syscall.WaitStatus, error) {
	var ws syscall.WaitStatus
	_, err := syscall.Wait4(pid, &ws, syscall.WALL, nil)
	for err == syscall.EINTR {
		_, err = syscall.Wait4(pid, &ws, syscall.WALL, nil)
	}
	if err == nil && !ws.Stopped() {
		err = errors.New("it ended before it began")
	}
	return ws, err
}
