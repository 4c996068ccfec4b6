package tracepoint_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/tracepoint"
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

func show(all []probes.Probe) string {
	var b strings.Builder
	for _, q := range all {
		fmt.Fprintln(&b, q)
	}
	return b.String()
}

const sdtList = `sdt:block::block_rq_complete
sdt:block::block_rq_issue
sdt:raw_syscalls::sys_enter
sdt:raw_syscalls::sys_exit
sdt:sched::sched_process_exec
sdt:sched::sched_process_exit
sdt:sched::sched_switch
sdt:sched::sched_wakeup
`

func TestMatch(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	files.Sys["kernel/btf/nic"] = &fstest.MapFile{Data: kerneltest.Module(t, "nic_poll")}
	k := files.Open(t)
	if got := show(list(t, tracepoint.NewSDT(k), probes.Pattern{})); got != sdtList {
		t.Errorf("sdt: got\n%swant\n%s", got, sdtList)
	}
	want := strings.ReplaceAll(sdtList, "sdt:", "rawtp:") + "rawtp:vmlinux::sched_util_tp\nrawtp:nic::nic_poll\n"
	if got := show(list(t, tracepoint.NewRaw(k), probes.Pattern{})); got != want {
		t.Errorf("rawtp: got\n%swant\n%s", got, want)
	}
	if got := show(list(t, tracepoint.NewSDT(k), probes.Pattern{Module: "sched", Name: "*switch"})); got != "sdt:sched::sched_switch\n" {
		t.Errorf("got %s", got)
	}
}

// TestSpared: what is not safe to trace is not listed, and says why when it is named.
func TestSpared(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	files.Sys["kernel/btf/nic"] = &fstest.MapFile{Data: kerneltest.Module(t, "sched_set_need_resched_tp")}
	p := tracepoint.NewRaw(files.Open(t))
	if got := list(t, p, probes.Pattern{Module: "nic"}); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if got := p.Explain(probes.Pattern{Name: "sched_set_need_resched_tp"}); !strings.Contains(got, "is not safe to trace: ") {
		t.Errorf("got %q", got)
	}
	if got := p.Explain(probes.Pattern{Name: "sched_switch"}); got != "" {
		t.Errorf("sched_switch: %q", got)
	}
}

func TestMayMatch(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	p := tracepoint.NewSDT(files.Open(t))
	for pat, want := range map[probes.Pattern]bool{
		{}:                             true,
		{Name: "sched_switch"}:         true,
		{Name: "sched*"}:               true,
		{Name: "*-x"}:                  true,
		{Name: "BEGIN"}:                false,
		{Name: "tick-1s"}:              false,
		{Function: "read"}:             false,
		{Function: "*"}:                true,
		{Function: "*", Name: "*exec"}: true,
	} {
		if got := p.MayMatch(pat); got != want {
			t.Errorf("%s: got %v", pat, got)
		}
	}
	if files.Opened != 0 {
		t.Error("tracefs was opened to rule a pattern out")
	}
}

func TestSites(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	p := tracepoint.NewSDT(k)
	s, err := p.Site(probes.Probe{Provider: "sdt", Module: "sched", Name: "sched_switch"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Hook != (probes.Hook{Kind: probes.Tracepoint, Target: "sched_switch"}) || s.Raw != 3 || len(s.Args) != 3 {
		t.Errorf("got %+v", s)
	}
	if a := s.Args[2]; a.Name != "next" || a.Type.String() != "struct task_struct *" || a.Slot != 2 || a.User {
		t.Errorf("args[2]: got %+v", a)
	}
	_, err = p.Site(probes.Probe{Provider: "sdt", Module: "block", Name: "block_rq_issue"})
	if !errors.Is(err, kernel.ErrNoType) || !strings.Contains(err.Error(), "look for it with rawtp:::*") {
		t.Errorf("an event without a tracepoint of its name: got %v", err)
	}
}

func TestAvailable(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	files.Refuse = &kernel.Missing{What: "tracefs", Why: "permission denied", Remedy: "run as root"}
	k := files.Open(t)
	if err := tracepoint.NewSDT(k).Available(); err == nil || err.Error() != "no tracefs: permission denied (run as root)" {
		t.Errorf("sdt: got %v", err)
	}
	raw := tracepoint.NewRaw(k)
	if err := raw.Available(); err != nil {
		t.Errorf("rawtp: got %v", err)
	}
	if n := len(list(t, raw, probes.Pattern{Module: "vmlinux"})); n != 8 {
		t.Errorf("rawtp without tracefs: %d tracepoints, want 8", n)
	}
	delete(files.Sys, "kernel/btf/vmlinux")
	var missing *kernel.Missing
	if err := tracepoint.NewRaw(files.Open(t)).Available(); !errors.As(err, &missing) || missing.What != "kernel types" {
		t.Errorf("rawtp without BTF: got %v", err)
	}
}

// TestLive makes every tracepoint of the running kernel ready.
func TestLive(t *testing.T) {
	k := kerneltest.Live(t)
	events, err := k.Events()
	if err != nil {
		t.Fatal(err)
	}
	plain := 0
	for _, e := range events {
		if e.Group != kernel.SyscallGroup {
			plain++
		}
	}
	sdt, raw := tracepoint.NewSDT(k), tracepoint.NewRaw(k)
	if n := len(list(t, sdt, probes.Pattern{})); n != plain {
		t.Errorf("sdt has %d probes, tracefs %d events", n, plain)
	}
	points, err := k.Tracepoints()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, p := range []probes.Provider{sdt, raw} {
		for _, q := range list(t, p, probes.Pattern{}) {
			named[q.Name] = true
			s, err := p.Site(q)
			if err != nil {
				t.Errorf("%s: %v", q, err)
				continue
			}
			for i, a := range s.Args {
				if types.IsInvalid(a.Type) || a.Slot != i || len(s.Args) != s.Raw {
					t.Errorf("%s: args[%d]: %+v", q, i, a)
				}
			}
		}
	}
	for _, tp := range points {
		if !named[tp.Name] && raw.Explain(probes.Pattern{Name: tp.Name}) == "" {
			t.Errorf("tracepoint %s of %s is listed nowhere", tp.Name, tp.Module)
		}
	}
}

// TestLiveFields compares arguments with the fields of the same event's
// record, where the author gave both one name and one width.
func TestLiveFields(t *testing.T) {
	k := kerneltest.Live(t)
	events, err := k.Events()
	if err != nil {
		t.Fatal(err)
	}
	p := tracepoint.NewSDT(k)
	same := 0
	for _, e := range events {
		if e.Group != "sched" && e.Group != "irq" && e.Group != "raw_syscalls" && e.Group != "signal" {
			continue
		}
		f, err := k.Format(e)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Site(probes.Probe{Provider: "sdt", Module: e.Group, Name: e.Name})
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		for _, a := range s.Args {
			for _, field := range f.Fields {
				if field.Name == a.Name && types.IsInteger(a.Type) && field.Len == 0 && a.Type.Size() == field.Size {
					same++
					if types.IsSigned(a.Type) != field.Signed {
						t.Logf("%s: %s is %s, the record says %s", e.Name, a.Name, a.Type, field.Type)
					}
				}
			}
		}
	}
	if same == 0 {
		t.Error("no argument bears the name of a field: the names are wrong")
	}
}
