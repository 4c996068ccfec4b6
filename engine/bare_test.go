package engine

import (
	"context"
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestNoTypes opens a kernel that was built without BTF. What needs none
// compiles; the rest is refused with the reason and the remedy, and the list of
// probes says of a provider why it has none.
func TestNoTypes(t *testing.T) {
	k := kerneltest.Read(t, "linux-6.18-amd64")
	delete(k.Sys, "kernel/btf/vmlinux")
	e, err := over(k.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	const why = "there is no /sys/kernel/btf/vmlinux (use a kernel built with CONFIG_DEBUG_INFO_BTF=y)"
	for _, tt := range []struct {
		script string
		want   string // in the message; "" if it compiles
	}{
		{`BEGIN { x = 6 * 7; printf("%d\n", x); exit(0); }`, ""},
		{`BEGIN { trace(curthread->pid); }`, "this kernel tells nothing of struct task_struct"},
		{`syscall::read:entry { trace(execname); }`, "does not tell where struct task_struct keeps comm"},
		{`syscall::read:entry { @[pid] = count(); }`, "does not tell where struct task_struct keeps tgid"},
		{`profile-97 { @[stack()] = count(); }`, "learn the layout of struct task_struct"},
		{`sdt:::sched_switch { trace(args[0]); }`, "provider sdt is unavailable"},
		{`rawtp:::sched_switch { trace(arg0); }`, "provider rawtp is unavailable"},
	} {
		_, err := e.Compile(context.Background(), Script{Name: "script", Text: tt.script, Options: options.Default()})
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.script, err)
			}
			continue
		}
		var said string
		if list, ok := IsScriptError(err); ok {
			said = list.List[0].Msg + "; " + list.List[0].Hint
		} else if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, tt.want) || !strings.Contains(said, why) {
			t.Errorf("%s: %q\ndoes not say %q and %q", tt.script, said, tt.want, why)
		}
	}
	list, families, err := e.Probes(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Error("no probes at all are listed")
	}
	for _, f := range families {
		if f.Name == "fbt" || f.Name == "rawfbt" || f.Name == "kinst" || f.Name == "cpc" {
			continue // they try the kernel that runs
		}
		needs := f.Name == "sdt" || f.Name == "rawtp"
		if needs != (f.Unavailable != "") || needs && !strings.Contains(f.Unavailable, why) {
			t.Errorf("provider %s is unavailable because %q", f.Name, f.Unavailable)
		}
	}
}
