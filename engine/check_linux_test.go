package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// fiftyLines is a script of the length that people write, which goes through
// structures of the kernel by their members.
func fiftyLines() string {
	const head = `#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-16s %6s %6s %s\n", "PROGRAM", "PID", "PARENT", "WHAT");
	started = timestamp;
}

syscall::read:entry, syscall::write:entry
/curthread->mm != NULL && curthread->real_parent->__state == 0/
{
	self->ts = timestamp;
	self->fd = arg0;
	this->parent = curthread->real_parent;
	@calls[execname, this->parent->comm, probefunc] = count();
}

sdt:::sched_switch
/args[1]->mm != NULL/
{
	@off[args[1]->comm, args[2]->prio] = count();
	@ran[args[1]->comm] = max(args[1]->se.sum_exec_runtime);
	last = args[2]->tgid;
}

sdt:::sched_process_exec
{
	printf("%-16s %6d %6d exec\n", execname, args[0]->tgid, args[0]->real_parent->tgid);
}
`
	const pair = `
syscall::read:return, syscall::write:return
/self->ts && (int64_t)arg0 > %d/
{
	@time%d[execname, curthread->signal->nr_threads] = quantize(timestamp - self->ts);
	@bytes%d[curthread->cred->uid.val] = sum(arg0);
}
`
	var b strings.Builder
	b.WriteString(head)
	for i := 0; strings.Count(b.String(), "\n") < 40; i++ {
		fmt.Fprintf(&b, pair, i, i, i)
	}
	b.WriteString("\ntick-1s\n{\n\tprinta(@calls);\n\tclear(@calls);\n\tprinta(@off);\n\ttrunc(@off, 10);\n\tlast = 0;\n}\n")
	return b.String()
}

// TestCheckKeys holds that a script of which parts were checked before has the complaints of one
// that is new.
func TestCheckKeys(t *testing.T) {
	e, text := tracing(t), fiftyLines()
	check := func(text string) diag.List { return e.Check(context.Background(), trace.Script{Text: text}) }
	complaints := 0
	for at := 0; at < len(text); at += 61 {
		for _, typed := range []string{"x", "x = 1; }", "/* ", "typedef int prio; ", "\n\n", ""} {
			edited := text[:at] + typed + text[at:]
			got := check(edited)
			kept := e.keeper.Swap(nil)
			if want := check(edited); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q before %.20q: %v instead of %v", typed, text[at:], got, want)
			}
			e.keeper.Store(kept)
			complaints += len(got)
		}
	}
	if complaints < 100 {
		t.Errorf("there are only %d complaints", complaints)
	}
}

// BenchmarkCheck is what the editor waits for after a key: checking a script of so
// many lines, whose types have been read from the kernel before. The keys write a number
// and take it back, at one place after the other.
func BenchmarkCheck(b *testing.B) {
	e, fifty := tracing(b), fiftyLines()
	for _, lines := range []int{50, 2000} {
		b.Run(strconv.Itoa(lines), func(b *testing.B) {
			text := strings.Repeat(fifty, lines/50)
			if n := strings.Count(text, "\n"); n < lines*48/50 || n > lines*52/50 {
				b.Fatalf("the script has %d lines", n)
			}
			var keys []string
			for at := range len(text) {
				if strings.HasSuffix(text[:at], "arg0 > ") {
					for _, typed := range []string{"1", "12", "1", ""} {
						keys = append(keys, text[:at]+typed+text[at:])
					}
				}
			}
			benchCheck(b, e, keys...)
		})
	}
}

// BenchmarkCheckFunctions is the same for functions of the kernel: a hundred that are named, each of
// which is looked for among all; all of them; and one whose name is wrong yet.
func BenchmarkCheckFunctions(b *testing.B) {
	e := patchable(b, trial.Functions{})
	var named strings.Builder
	for _, name := range functionsOf(b, e, 50) {
		fmt.Fprintf(&named, "fbt::%s:entry\n{\n\tself->ts = timestamp;\n}\nfbt::%[1]s:return\n/self->ts/\n{\n\t@[probefunc] = quantize(timestamp - self->ts);\n}\n", name)
	}
	b.Run("named", func(b *testing.B) { benchCheck(b, e, named.String()) })
	b.Run("all", func(b *testing.B) {
		benchCheck(b, e, "fbt:::entry, fbt:::return\n/pid == $target/\n{\n\t@[probefunc] = count();\n}\n")
	})
	b.Run("unfinished", func(b *testing.B) {
		for b.Loop() {
			if !e.Check(context.Background(), trace.Script{Text: "fbt::vfs_raed:entry {}"}).Failed() {
				b.Fatal("there is a function vfs_raed")
			}
		}
	})
}

// BenchmarkCompleteProbe is what the menu of an editor waits for.
func BenchmarkCompleteProbe(b *testing.B) {
	e := patchable(b, trial.Functions{})
	for _, typed := range []string{"f", "fbt::", "fbt::v", "fbt::vfs_read:", "syscall::re"} {
		b.Run(typed, func(b *testing.B) {
			for b.Loop() {
				if len(e.CompleteProbe(context.Background(), typed, 0, mostCompletions)) == 0 {
					b.Fatal("nothing completes it")
				}
			}
		})
	}
}

// functionsOf returns names of functions of the kernel that can be traced.
func functionsOf(b *testing.B, e *Engine, n int) (names []string) {
	found, err := e.registry.Match(context.Background(), probes.Pattern{Provider: "fbt", Function: "vfs_*", Name: "return"})
	if err != nil || len(found) < n {
		b.Fatalf("%d functions, %v", len(found), err)
	}
	for _, f := range found[:n] {
		names = append(names, f.Function)
	}
	return names
}

// benchCheck measures the check of one text after the other.
func benchCheck(b *testing.B, e *Engine, texts ...string) {
	ctx := context.Background()
	if list := e.Check(ctx, trace.Script{Text: texts[0]}); list.Failed() {
		b.Fatalf("the script is faulty: %v", (&diag.ListError{List: list}).List)
	}
	var took []time.Duration
	for i := 1; b.Loop(); i++ {
		from := time.Now()
		e.Check(ctx, trace.Script{Text: texts[i%len(texts)]})
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	for _, at := range []int{10, 50, 99} {
		b.ReportMetric(took[len(took)*at/100].Seconds()*1e3, fmt.Sprintf("p%d-ms", at))
	}
}
