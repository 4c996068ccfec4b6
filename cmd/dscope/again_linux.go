package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"dscope.dev/dlang/machine"
	exe "dscope.dev/probes/binary"
)

// With evaltime=exec scripts see how the command is executed: proc:::exec-success
// and the system call itself. But a command can be held no earlier than behind its
// exec(2), and its files, symbols and marks can be looked for only then. So, once
// tracing has begun, it executes itself once more: the stack of a process that
// stands before its first instruction still holds what the kernel was called with.

// auxExecFn is AT_EXECFN of the auxiliary vector: the path that was executed.
const auxExecFn = 31

// executeAgain has a process that stands before its first instruction execute the
// same program with the same count of arguments, and leaves it standing there
// again. A program of another word size is left as it is.
func executeAgain(pid, count int) error {
	m := machine.Of(runtime.GOARCH)
	if m == nil || !wide(pid) {
		return nil
	}
	path, err := auxiliary(pid, auxExecFn)
	if err != nil {
		return err
	}
	regs, err := registers(pid)
	if err != nil {
		return err
	}
	words := make([]byte, 8)
	if _, err := syscall.PtracePeekData(pid, uintptr(regs[m.SP]), words); err != nil {
		return fmt.Errorf("read the stack of pid %d: %w", pid, err)
	}
	argc := binary.NativeEndian.Uint64(words)
	if argc < uint64(count) {
		return fmt.Errorf("pid %d was given %d arguments of %d", pid, argc, count)
	}
	if _, err := syscall.PtracePokeText(pid, uintptr(regs[m.PC]), slices.Concat(m.Calls, m.Trap)); err != nil {
		return fmt.Errorf("write the code of pid %d: %w", pid, err)
	}
	// The arguments of a script come behind those of its interpreter.
	argv := regs[m.SP] + 8
	regs[m.Enter], regs[m.Syscall[0]] = m.Execve, path
	regs[m.Syscall[1]], regs[m.Syscall[2]] = argv+8*(argc-uint64(count)), argv+8*(argc+1)
	if m.Restart >= 0 {
		regs[m.Restart] = ^uint64(0)
	}
	if err := setRegisters(pid, regs); err != nil {
		return err
	}
	return awaitExec(pid)
}

// awaitExec lets a process run until it has executed a program. Signals that it gets
// on the way are handed on.
func awaitExec(pid int) error {
	if err := syscall.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACEEXEC); err != nil {
		return err
	}
	sig := 0
	for {
		if err := syscall.PtraceCont(pid, sig); err != nil {
			return err
		}
		ws, err := waitStop(pid)
		switch {
		case err != nil:
			return err
		case ws.TrapCause() == unix.PTRACE_EVENT_EXEC:
			return nil
		case ws.StopSignal() == syscall.SIGTRAP:
			return errors.New("the command cannot be executed once more, as evaltime=exec needs: try evaltime=preinit")
		}
		sig = int(ws.StopSignal())
	}
}

// wide reports whether a process runs a program of this machine's word size.
func wide(pid int) bool {
	f, err := exe.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Is64()
}

// registers returns those of a process that stands, as words.
func registers(pid int) ([]uint64, error) {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
		return nil, fmt.Errorf("read the registers of pid %d: %w", pid, err)
	}
	var b bytes.Buffer
	binary.Write(&b, binary.NativeEndian, &regs)
	words := make([]uint64, b.Len()/8)
	return words, binary.Read(&b, binary.NativeEndian, words)
}

func setRegisters(pid int, words []uint64) error {
	var b bytes.Buffer
	binary.Write(&b, binary.NativeEndian, words)
	var regs syscall.PtraceRegs
	if err := binary.Read(&b, binary.NativeEndian, &regs); err != nil {
		return err
	}
	return syscall.PtraceSetRegs(pid, &regs)
}

// auxiliary returns a value that the kernel has told a process as it began.
func auxiliary(pid int, key uint64) (uint64, error) {
	aux, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err != nil {
		return 0, err
	}
	for ; len(aux) >= 16; aux = aux[16:] {
		if binary.NativeEndian.Uint64(aux) == key {
			return binary.NativeEndian.Uint64(aux[8:]), nil
		}
	}
	return 0, errors.New("the kernel does not tell")
}
