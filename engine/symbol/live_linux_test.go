package symbol

import (
	"bufio"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// Our own functions are found by their addresses, though a test binary has
// been stripped.
func TestOwnProcess(t *testing.T) {
	pc := reflect.ValueOf(TestOwnProcess).Pointer()
	f := New(nil).User(uint32(os.Getpid()), uint64(pc)+1)
	if want := runtime.FuncForPC(pc).Name(); f.Symbol != want || f.Offset != 1 {
		t.Errorf("%v, want %s+0x1", f, want)
	}
}

// A library that is mapped anywhere: functions of libc in another process,
// before and after it has ended.
func TestLibraryOfAnotherProcess(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("cat does not start:", err)
	}
	end := func() { in.Close(); io.Copy(io.Discard, out); cmd.Wait() }
	io.WriteString(in, "ready\n")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // now it runs, with all libraries mapped
		t.Fatal(err)
	}
	pid := uint32(cmd.Process.Pid)
	table := New(nil)
	addr, ok := addressOfGetpid(t, table, pid)
	if !ok {
		end()
		t.Skip("cat has no C library in a file of its own")
	}
	before := table.User(pid, addr)
	if before.Symbol != "getpid" || !strings.HasPrefix(before.Module, "libc") {
		t.Errorf("%v, want libc`getpid", before)
	}
	end()
	table.procs[pid].read = table.procs[pid].read.Add(-2 * freshFor)
	if after := table.User(pid, addr+2); after.Symbol != "getpid" || after.Offset != 2 {
		t.Errorf("after its end: %v, want getpid+0x2", after)
	}
}

// addressOfGetpid works out where a process has the C library's getpid.
func addressOfGetpid(t *testing.T, table *Table, pid uint32) (uint64, bool) {
	for _, m := range table.process(pid).maps {
		if !m.Exec || !strings.HasPrefix(m.Name(), "libc") {
			continue
		}
		f, err := elf.Open(m.Path)
		if err != nil {
			return 0, false
		}
		defer f.Close()
		syms, err := f.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range syms {
			for _, p := range f.Progs {
				if off := s.Value - p.Vaddr + p.Off; s.Name == "getpid" && p.Type == elf.PT_LOAD && s.Value >= p.Vaddr &&
					s.Value < p.Vaddr+p.Filesz && off >= m.Offset {
					return off - m.Offset + m.Start, true
				}
			}
		}
	}
	return 0, false
}

// The kernel's own code in our address space has names, where there is any.
func TestVDSO(t *testing.T) {
	table := New(nil)
	for _, m := range table.process(uint32(os.Getpid())).maps {
		if m.Path != "[vdso]" {
			continue
		}
		b := table.vdso()
		if b.Len() == 0 {
			t.Fatal("the vdso has no symbols")
		}
		addr := m.Start + b.At(0).Offset
		if f := table.User(uint32(os.Getpid()), addr); f.Module != "[vdso]" || f.Symbol == "" || f.Offset != 0 {
			t.Errorf("%v, want the first function of the vdso", f)
		}
		return
	}
	t.Skip("this kernel maps no vdso")
}

// Where a program without symbols is loaded differs from run to run; the place in its file
// that a frame has does not, whether it is a position or an address to return to.
func TestPlaceInStrippedProgram(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "stripped")
	src := bin + ".c"
	if err := os.WriteFile(src, []byte("#include <unistd.h>\nint main(void) { write(1, \"\\n\", 1); pause(); return 0; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-s", "-pie", "-fPIE", "-o", bin, src).CombinedOutput(); err != nil {
		t.Skipf("gcc makes no program: %v\n%s", err, out)
	}
	table := New(nil)
	seen := map[uint64]bool{}
	for range 4 {
		cmd := exec.Command(bin)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		pid := uint32(cmd.Process.Pid)
		for _, m := range table.process(pid).maps {
			if !m.Exec || m.Name() != "stripped" {
				continue
			}
			seen[m.Start] = true
			addr, place := m.Start+0x42, m.Offset+0x42
			want := trace.Frame{Addr: addr, Module: "stripped", Offset: place}
			if got := table.User(pid, addr); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			if got := table.Frames(nil, pid, addr, true); len(got) != 1 || got[0] != want {
				t.Errorf("to return to: %+v, want %+v", got, want)
			}
			if text := want.String(); text != fmt.Sprintf("stripped`%#x", addr) {
				t.Errorf("it is printed as %s", text)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	if len(seen) == 0 {
		t.Error("the program has no code of its own")
	}
}
