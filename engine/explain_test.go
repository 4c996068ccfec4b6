package engine

import (
	"context"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestExplain asks of a recorded kernel what the word at a bar means.
func TestExplain(t *testing.T) {
	e, err := over(kerneltest.Read(t, "linux-6.18-amd64").Open(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		word string   // that is explained
		want []string // parts of what is told
	}{
		{"syscall::re|ad:entry { }", "syscall::read:entry", []string{"args[0]: unsigned int fd", "hooked by raw tracepoint sys_enter", "cheap"}},
		{"syscall:::ent|ry { }", "syscall:::entry", []string{" probes; this is the first"}},
		{"syscall::reed:ent|ry { }", "syscall::reed:entry", []string{"does not match any probes"}},
		{"BEGI|N { }", "BEGIN", []string{"fires once"}},
		{"BEGIN { trace(exec|name); }", "execname", []string{"string execname", "the name of the process"}},
		{"BEGIN { trace(|curthread->pid); }", "curthread", []string{"struct task_struct *curthread"}},
		{"BEGIN { trace(curthread->parent->p|id); }", "pid", []string{"pid_t pid", "member of struct task_struct, 4 bytes at offset"}},
		{"BEGIN { trace(curpsinfo->pr_fna|me); }", "pr_fname", []string{"pr_fname", "translator"}},
		{"syscall::read:entry { trace(ar|gs[0]); }", "args", []string{"args[0]: unsigned int fd", "args[2]"}},
		{"syscall::read:entry { self->t|s = timestamp; } END { trace(self->ts); }", "self->ts", []string{"uint64_t self->ts", "variable of each thread, first assigned in line 1"}},
		{"BEGIN { a[pid, execname] = 1; trace(|a[1, \"\"]); }", "a", []string{"int a[pid_t, string]"}},
		{"BEGIN { @la|t[execname] = quantize(timestamp); }", "@lat", []string{"@lat[string] = quantize()", "powers of two"}},
		{"BEGIN { @lat = quan|tize(timestamp); }", "quantize", []string{"quantize(n[, weight])"}},
		{"BEGIN { print|f(\"x\"); }", "printf", []string{"printf(string format, …)"}},
		{"int f(int a) { return |a; } BEGIN { f(1); }", "a", []string{"int a", "variable of this block"}},
		{"int f(int a) { return a; } BEGIN { |f(1); }", "f", []string{"int f(int a)", "function of this script"}},
		{"BEGIN { trace(SIG|INT); }", "SIGINT", []string{"inline int SIGINT = 2", "signal.d"}},
		{"inline int limit = 3; BEGIN { trace(li|mit); }", "limit", []string{"inline int limit = 3;", "here 3"}},
		{"BEGIN { x = (uint3|2_t)1; }", "uint32_t", []string{"type of D, 4 bytes"}},
		{"BEGIN { x = ((struct task_|struct *)1)->pid; }", "struct task_struct", []string{"struct task_struct {", "type of the kernel"}},
		{"#pragma D option qui|et\nBEGIN { }", "quiet", []string{"option quiet"}},
		{"BEGIN { trace($tar|get); }", "$target", []string{"the process of -p or -c"}},
		{"BEGIN { trace(0x1|f); }", "0x1f", []string{"31, 0x1f"}},
		{"BEGIN { trace(nothing); trace(p|id); x = }", "pid", []string{"pid_t pid"}}, // with mistakes around
		{"BEGIN { tr|", "", nil},
		{"BEGIN { }| ", "", nil},
	} {
		text, at := strings.ReplaceAll(tt.text, "|", ""), strings.Index(tt.text, "|")
		x, ok := e.Explain(context.Background(), trace.Script{Text: text}, at)
		told := x.Decl + "\n" + x.Help + "\n" + strings.Join(x.Notes, "\n")
		if ok != (tt.word != "") || ok && text[x.From:x.To] != tt.word {
			t.Errorf("%s: explains %q (%v): %s", tt.text, text[x.From:x.To], ok, told)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(told, want) {
				t.Errorf("%s: no %q in\n%s", tt.text, want, told)
			}
		}
	}
}
