package engine

import (
	"context"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/trace"
)

// TestLibraryOnThisKernel declares all of the library on the kernel that runs
// the test: what cannot be had must be so for a reason that is known.
func TestLibraryOnThisKernel(t *testing.T) {
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.machine.Kernel.Struct("task_struct") == nil {
		t.Skip("this kernel tells nothing of its types")
	}
	names := 0
	for _, k := range check.Library(&env{e: e, ctx: context.Background()}) {
		names++
		switch {
		case k.Why == "":
		case strings.Contains(k.Why, "the kernel has no symbol"), strings.Contains(k.Why, "d_path"),
			strings.Contains(k.Why, "struct buffer_head has no member b_end_io"), // which went before 7.2
			strings.Contains(k.Why, "struct cpuinfo_x86 has no member topo"):     // which came after 6.1
			t.Logf("%s: %s", k.Name, k.Why)
		default:
			t.Errorf("%s: %s", k.Name, k.Why)
		}
	}
	if names < 300 {
		t.Errorf("the library has %d names", names)
	}
}

// BenchmarkLibrary measures what a script pays for what it names of the library.
func BenchmarkLibrary(b *testing.B) {
	e, err := Open()
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for name, text := range map[string]string{
		"none":      `BEGIN { trace(pid); }`,
		"constant":  `BEGIN { trace(SIGINT); }`,
		"curpsinfo": `BEGIN { trace(curpsinfo->pr_pid); }`,
		"fds":       `BEGIN { trace(fds[0].fi_name); }`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if list := e.Check(context.Background(), trace.Script{Text: text}); list.Failed() {
					b.Fatal(list[0].Msg)
				}
			}
		})
	}
}
