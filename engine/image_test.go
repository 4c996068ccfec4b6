package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"dscope.dev/engine/internal/names"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/engine/symbol"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

// nested is a kernel with a function within a function within one that has code.
const nested = `
void _stext(void) { __asm__ volatile("nop"); }
#define ALWAYS static inline __attribute__((always_inline))
__attribute__((noinline)) void leaf(void) { __asm__ volatile("nop" ::: "memory"); }
ALWAYS void deep(void) { leaf(); }
ALWAYS void outer(void) { deep(); __asm__ volatile("nop; nop" ::: "memory"); }
void body(void) { outer(); leaf(); __asm__ volatile("nop; nop; nop" ::: "memory"); }
`

// table names the addresses of a kernel.
func table(t *testing.T, k *kernel.Kernel) *symbol.Table {
	tab := symbol.New(func() symbol.Kernel { return names.OfKernel(k) })
	t.Cleanup(func() { tab.Close() })
	return tab
}

func shown(list []trace.Frame) string {
	var b strings.Builder
	for _, f := range list {
		b.Write(append(f.Append(nil), '\n'))
	}
	return b.String()
}

func TestKernelFrames(t *testing.T) {
	files := kerneltest.Read(t, "linux-6.18-amd64")
	name := files.Compile(t, nested)
	k := files.Open(t)
	syms, err := k.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	body, ok := syms.Find("vmlinux", "body")
	if !ok {
		t.Fatal("no symbol body")
	}
	// body begins with the call of leaf by deep, which takes five bytes.
	back := body.Addr + 5
	tab := table(t, k)
	for range 2 { // the second time what is known
		got := shown(tab.KernelFrames(nil, back, true))
		want := "vmlinux`deep [inlined]\nvmlinux`outer [inlined]\nvmlinux`body+0x5\n"
		if got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	plain := fmt.Sprintf("vmlinux`body+0x%x\n", 5)
	tab = table(t, k)
	tab.NoInline = true
	if got := shown(tab.KernelFrames(nil, back, true)); got != plain {
		t.Errorf("with noinline:\n%s", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if got := shown(table(t, files.Open(t)).KernelFrames(nil, back, true)); got != plain {
		t.Errorf("without debug information:\n%s", got)
	}
}

// TestTrimmed takes what the tracer's own frames lead back to for an address to
// return to, though it is the first of the stack.
func TestTrimmed(t *testing.T) {
	files := kerneltest.Read(t, "linux-6.18-amd64")
	files.Compile(t, strings.ReplaceAll(nested, "leaf", "bpf_prog_leaf"))
	k := files.Open(t)
	syms, err := k.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	body, _ := syms.Find("vmlinux", "body")
	tracer, ok := syms.Find("vmlinux", "bpf_prog_leaf")
	if !ok {
		t.Fatal("no symbol bpf_prog_leaf")
	}
	tab := table(t, k)
	list := tab.Trim([]uint64{tracer.Addr, body.Addr + 5})
	if len(list) != 1 {
		t.Fatalf("%x", list)
	}
	got := shown(tab.KernelFrames(nil, list[0], false))
	if !strings.HasPrefix(got, "vmlinux`deep [inlined]\n") {
		t.Errorf("got\n%s", got)
	}
	got = shown(table(t, k).KernelFrames(nil, body.Addr+5, false)) // where it is not known
	if !strings.HasPrefix(got, "vmlinux`outer [inlined]\n") {
		t.Errorf("an address as it is:\n%s", got)
	}
}

// TestInlinedUnits has what is entered at one place, by several functions that were
// inlined there, fire for each with its own arguments, and shares programs where
// nothing is read.
func TestInlinedUnits(t *testing.T) {
	files := kerneltest.Read(t, "linux-6.18-amd64")
	files.Compile(t, `
struct file { long pos, flags; };
#define ALWAYS static inline __attribute__((always_inline))
void _stext(void) { __asm__ volatile("nop"); }
ALWAYS void deep(long flags) { __asm__ volatile("movl $0x5eed, %%eax" :: "r"(flags) : "eax", "memory"); }
ALWAYS void outer(struct file *f) { deep(f->flags); f->pos++; }
void one(struct file *f) { outer(f); }
void two(long n, struct file *f) { outer(f); }
`)
	e, err := over(files.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	e.machine.Trials.Functions = func() trial.Functions { return trial.Functions{} }
	for _, tt := range []struct {
		script string
		units  int
	}{
		{"kinst::outer:entry { n++; }", 1},
		{"kinst::outer:entry { n = args[0]->pos; }", 2},
		{"kinst::outer:entry { n = arg0; } kinst::deep:entry { m = args[0]; }", 4},
	} {
		c, err := e.Compile(context.Background(), Script{Name: "test", Text: tt.script, Options: options.Default()})
		if err != nil {
			t.Errorf("%s: %v", tt.script, err)
			continue
		}
		got := 0
		for _, u := range c.plan.Object.Units {
			if u.Hook.Kind == probes.Instruction {
				got++
			}
		}
		if got != tt.units {
			t.Errorf("%s: %d programs, want %d", tt.script, got, tt.units)
		}
	}
}
