package syscall_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/syscall"
)

const recorded = "linux-6.18-amd64"

func list(t testing.TB, p probes.Provider, pat probes.Pattern) (all []probes.Probe) {
	t.Helper()
	for q, err := range p.Match(context.Background(), pat) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

func entryOf(name string) probes.Probe {
	return probes.Probe{Provider: "syscall", Module: "vmlinux", Function: name, Name: "entry"}
}

// describe writes a site as C would declare the call.
func describe(s *probes.Site, err error) string {
	if err != nil {
		return err.Error()
	}
	var args []string
	for _, a := range s.Args {
		text := a.Type.String() + " " + a.Name
		if a.User {
			text += " (user)"
		}
		args = append(args, text)
	}
	return fmt.Sprintf("%d %s (%s)", s.Key, s.Hook.Target, strings.Join(args, ", "))
}

func TestMatch(t *testing.T) {
	p := syscall.New(kerneltest.Read(t, recorded).Open(t))
	var got []string
	for _, q := range list(t, p, probes.Pattern{}) {
		got = append(got, q.Function+":"+q.Name)
	}
	want := "execve:entry execve:return exit_group:entry exit_group:return getpid:entry getpid:return newstat:entry newstat:return " +
		"openat:entry openat:return read:entry read:return write:entry write:return"
	if list := strings.Join(got, " "); list != want {
		t.Errorf("got  %s\nwant %s", list, want)
	}
}

func TestSites(t *testing.T) {
	p := syscall.New(kerneltest.Read(t, recorded).Open(t))
	tests := []struct{ name, want string }{
		{"read", "0 sys_enter (unsigned int fd, char * buf (user), size_t count)"},
		{"openat", "257 sys_enter (int dfd, char * filename (user), int flags, umode_t mode)"},
		{"newstat", "4 sys_enter (char * filename (user), struct stat * statbuf (user))"},
		{"getpid", "39 sys_enter ()"},
		{"execve", "59 sys_enter (char * filename (user), char ** argv (user), char ** envp (user))"},
	}
	for _, tt := range tests {
		if got := describe(p.Site(entryOf(tt.name))); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
	leave := entryOf("read")
	leave.Name = "return"
	s, err := p.Site(leave)
	if got, want := describe(s, err), "0 sys_exit (long ret, long ret)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if s.Raw != 2 || s.Args[1].Slot != 1 || s.Hook.Select != probes.BySyscall {
		t.Errorf("return: got %+v", s)
	}
	if _, err := p.Site(entryOf("none")); !probes.IsNoMatch(err) {
		t.Errorf("got %v, want a NoMatch", err)
	}
}

func TestMachines(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	files.Arch = "arm64"
	p := syscall.New(files.Open(t))
	for name, want := range map[string]string{
		"read":  "63 sys_enter (unsigned int fd, char * buf (user), size_t count)",
		"clone": "220 sys_enter (unsigned long clone_flags, unsigned long newsp, int * parent_tidptr (user), unsigned long tls, int * child_tidptr (user))",
		"open":  "probe description syscall:vmlinux:open:entry does not match any probes",
	} {
		if got := describe(p.Site(entryOf(name))); got != want {
			t.Errorf("arm64 %s:\ngot  %s\nwant %s", name, got, want)
		}
	}
	files.Arch = "riscv64"
	err := syscall.New(files.Open(t)).Available()
	if got, want := fmt.Sprint(err), "the system calls of riscv64 are not known; dscope traces amd64 and arm64"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTable holds that every call of the table has types, on both machines and
// on a kernel that tells neither names nor types.
func TestTable(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		files := kerneltest.Read(t, recorded)
		files.Arch = arch
		files.Refuse = &kernel.Missing{What: "tracefs", Why: "a test"}
		delete(files.Sys, "kernel/btf/vmlinux")
		p := syscall.New(files.Open(t))
		all := list(t, p, probes.Pattern{Name: "entry"})
		if len(all) < 300 {
			t.Errorf("%s: only %d calls", arch, len(all))
		}
		numbers := map[uint32]string{}
		for _, q := range all {
			s, err := p.Site(q)
			if err != nil {
				t.Errorf("%s: %s: %v", arch, q, err)
				continue
			}
			if other := numbers[s.Key]; other != "" {
				t.Errorf("%s: %s and %s are both %d", arch, other, q.Function, s.Key)
			}
			numbers[s.Key] = q.Function
			for _, a := range s.Args {
				if a.Name == "" || !types.IsScalar(a.Type) || len(s.Args) > s.Raw {
					t.Errorf("%s: %s: argument %q of type %v", arch, q.Function, a.Name, a.Type)
				}
			}
		}
	}
}

func TestLazy(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	p := syscall.New(files.Open(t))
	delete(files.Sys, "kernel/btf/vmlinux")
	if p.MayMatch(probes.Pattern{Name: "BEGIN"}) || p.MayMatch(probes.Pattern{Module: "ext4"}) {
		t.Error("a call may be named BEGIN or be of a module")
	}
	if !p.MayMatch(probes.Pattern{Name: "e*"}) || files.Opened != 0 {
		t.Errorf("tracefs was opened %d times", files.Opened)
	}
	if got := describe(p.Site(entryOf("read"))); !strings.HasPrefix(got, "0 sys_enter") {
		t.Errorf("read needs the kernel's types: %s", got)
	}
}

func TestSuggest(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	r := probes.NewRegistry(syscall.New(k))
	_, err := r.Match(context.Background(), probes.Pattern{Provider: "syscall", Function: "stat", Name: "entry"})
	none, ok := err.(*probes.NoMatch)
	if !ok {
		t.Fatalf("got %#v, want no match", err)
	}
	if got := none.Hint(); !strings.Contains(got, "there is newstat") {
		t.Errorf("got %q, want a hint at newstat", got)
	}
}

// TestLive compares the table with the format files of the running kernel.
func TestLive(t *testing.T) {
	k := kerneltest.Live(t)
	p := syscall.New(k)
	if err := p.Available(); err != nil {
		t.Skip(err)
	}
	events, err := k.Events()
	if err != nil {
		t.Fatal(err)
	}
	served := 0
	for _, e := range events {
		name, ok := strings.CutPrefix(e.Name, "sys_enter_")
		if !ok || e.Group != kernel.SyscallGroup {
			continue
		}
		served++
		s, err := p.Site(entryOf(name))
		if probes.IsNoMatch(err) {
			t.Logf("%s is newer than the table", name)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := k.Format(e)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, k, s, f.Fields[1:]) // the first is the number
	}
	if served == 0 {
		t.Skip("this kernel lists no system calls: it was built without CONFIG_FTRACE_SYSCALLS")
	}
	if n := len(list(t, p, probes.Pattern{Name: "entry"})); n < served*9/10 {
		t.Errorf("%d of %d calls are known", n, served)
	}
}

func compare(t *testing.T, k *kernel.Kernel, s *probes.Site, fields []kernel.FormatField) {
	t.Helper()
	name := s.Probe.Function
	if len(fields) != len(s.Args) {
		t.Errorf("%s: %d arguments, the kernel says %d", name, len(s.Args), len(fields))
		return
	}
	for i, a := range s.Args {
		want, err := k.CType(fields[i].Type)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !types.Identical(a.Type, want) || types.IsPointer(want) != a.User {
			t.Errorf("%s: %s is %s, the kernel says %s", name, a.Name, a.Type, want)
		}
		if !types.IsPointer(want) { // by the kernel's own types too
			if def, err := k.Type("typedef", "", fields[i].Type); err == nil && !types.Identical(a.Type, def) {
				t.Errorf("%s: %s is %s, BTF says %s", name, a.Name, types.Resolve(a.Type), types.Resolve(def))
			}
		}
	}
}
