package engine

import (
	"context"
	"os"
	"testing"

	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestInlinedLoads has the verifier look at programs that read arguments of functions
// that were inlined, from registers, from the kernel's memory and where they are not
// kept, and at such as fire at jumps that are taken.
func TestInlinedLoads(t *testing.T) {
	files := kerneltest.Read(t, "linux-6.18-amd64")
	files.Compile(t, `
struct file { long pos, flags; };
#define ALWAYS static inline __attribute__((always_inline))
#define KEPT __asm__ volatile("movl $0x5eed, %%eax" ::: "eax", "memory")
void _stext(void) { __asm__ volatile("nop"); }
ALWAYS void early(struct file *f, long a, long b) { KEPT; if (f->flags < a) return; KEPT; if (f->pos > b) return; f->pos++; KEPT; }
void one(struct file *f, int n) { if (n) early(f, n, 7); KEPT; }
void two(long a, long b, long c, long d, long e, long g, long h, struct file *f) { if (a) early(f, b, h); KEPT; }
`)
	e, err := over(files.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	e.machine.Trials.Functions = func() trial.Functions { return trial.Functions{} }
	here := kernel.Open()
	defer here.Close()
	facts, err := here.Facts()
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Compile(context.Background(), Script{Name: "test", Options: options.Default(), Text: `
kinst::early:entry { @[args[0]->flags, args[1]] = sum(args[2]); }
kinst::early:return { @n[probefunc] = count(); }`})
	if err != nil {
		t.Fatal(err)
	}
	if err := trial.Smallest(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	e.machine.Facts = facts // of the kernel that looks at them
	k, err := load.AsPlanned(context.Background(), c.plan, &e.machine, nil)
	if err != nil {
		t.Fatal(err)
	}
	jumps := 0
	for _, u := range c.plan.Object.Units {
		if len(u.Sites) > 0 && u.Sites[0].Jump != 0 {
			jumps++
		}
	}
	if jumps == 0 {
		t.Error("none of the ends is a jump")
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}
