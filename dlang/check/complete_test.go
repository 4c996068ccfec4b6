package check_test

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// complete returns what is offered where the bar stands in text.
func complete(text string) (from int, list []check.Completion) {
	before, after, _ := strings.Cut(text, "|")
	f := token.NewFile("script", before+after)
	s, _ := parser.Parse(f)
	return check.Complete(f, s, newMachine(), map[string]string{"target": "7"}, len(before))
}

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		text string
		has  string // must be among the completions
		not  string // must not
		kind check.CompletionKind
		from int // bytes before the cursor
	}{
		{"sys|", "sys", "", check.CompleteProbe, 3},
		{"syscall::re|", "syscall::re", "", check.CompleteProbe, 11},
		{"|", "", "", check.CompleteProbe, 0},
		{"BEGIN { x = 1; }\nsyscall:|", "syscall:", "", check.CompleteProbe, 8},
		{"BEGIN, tick-|", "tick-", "", check.CompleteProbe, 5},
		{"syscall::r| { trace(pid); }", "syscall::r", "", check.CompleteProbe, 10},
		{"int|", "int", "", check.CompleteKeyword, 3},
		{"BEGIN { exec|", "execname", "pid", check.CompleteVariable, 4},
		{"BEGIN { exec| }", "execname", "execargs()", check.CompleteVariable, 4},
		{"BEGIN { time|; } BEGIN { x", "timestamp", "pid", check.CompleteVariable, 4},
		{"BEGIN { @a = quan|", "quantize", "count", check.CompleteFunction, 4},
		{"BEGIN { total = 1; } END { tot|", "total", "", check.CompleteVariable, 3},
		{"BEGIN { int total = 1; { int tot1; } tot|", "total", "tot1", check.CompleteVariable, 3},
		{"BEGIN { for (int round = 0; round < 3; round++) { rou|; } }", "round", "", check.CompleteVariable, 3},
		{"int larger(int left, int right) { return le|; } BEGIN { }", "left", "", check.CompleteVariable, 2},
		{"int larger(int left, int right) { return left; } BEGIN { trace(la|", "larger", "left", check.CompleteFunction, 2},
		{"BEGIN { struct task_struct *t = curthread; trace(t->pa|", "parent", "", check.CompleteMember, 2},
		{"BEGIN { wh|", "while", "", check.CompleteKeyword, 2},
		{"BEGIN { self->start = 1; self->st|", "start", "execname", check.CompleteVariable, 2},
		{"BEGIN { @times = count(); printa(@t|", "times", "timestamp", check.CompleteAggregation, 1},
		{"BEGIN { trace($ta|", "target", "", check.CompleteVariable, 2},
		{"BEGIN { trace(curthread->pa|", "parent", "pid", check.CompleteMember, 2},
		{"BEGIN { trace(curthread->parent->|); } END { }", "comm", "execname", check.CompleteMember, 0},
		{"BEGIN { x = 1 + curthread->on|", "on_rq", "", check.CompleteMember, 2},
		{"BEGIN { trace(curthread->mm->|", "total_vm", "", check.CompleteMember, 0},
		{"sdt:::sched_switch { printf(\"%s\", args[1]->co|", "comm", "", check.CompleteMember, 2},
		{"sdt:::sched_switch /args[1]->p|", "pid", "", check.CompleteMember, 1},
		{"sdt:::sched_switch /args[1]->p|/ { trace(1); }", "parent", "", check.CompleteMember, 1},
		{"BEGIN { this->t = curthread; } BEGIN { @[this->t->|] = count(); }", "comm", "", check.CompleteMember, 0},
		{"BEGIN { trace(((struct task_struct *)arg0)->st|", "state", "", check.CompleteMember, 2},
		{"struct pair { int left; int right; }; BEGIN { this->p = (struct pair *)arg0; trace(this->p->|", "left", "", check.CompleteMember, 0},
		{"struct pair { int a; }; BEGIN { trace(sizeof (struct p|", "pair", "", check.CompleteType, 1},
		{"BEGIN { x = (uint8|", "uint8_t", "", check.CompleteType, 5},
		{"BEGIN { trace(curps|", "curpsinfo", "pid", check.CompleteVariable, 5},
		{"BEGIN { trace(curpsinfo->pr_f|", "pr_fname", "pr_flag", check.CompleteMember, 4},
		{"BEGIN { trace(curpsinfo->pr_lwp.pr_n|", "pr_name", "pr_nice", check.CompleteMember, 4},
		{"BEGIN { trace(xlate <psinfo_t> (curthread).pr_f|", "pr_fname", "pr_flag", check.CompleteMember, 4},
		{"struct s { int a; int b; }; translator struct s < int n > { a = n; }; BEGIN { trace(xlate <struct s *> (1)->|", "a", "b", check.CompleteMember, 0},
		{"inline int limit[int a] = a; BEGIN { trace(lim|", "limit", "", check.CompleteVariable, 3},
		{"BEGIN { trace(((psinfo_t *)arg0)->pr_f|", "pr_flag", "", check.CompleteMember, 4},
		{"BEGIN { trace(SIGI|", "SIGINT", "SIGHUP", check.CompleteVariable, 4},
		{"BEGIN { x = (psin|", "psinfo_t", "", check.CompleteType, 4},
		{"inline int OPT = 1; BEGIN { OPT ? 1 : trace(curthread->pa|", "parent", "pid", check.CompleteMember, 2},
		{"inline int OPT = 0; BEGIN { OPT ? @a[curthread->pa|] = count() : 1; }", "parent", "pid", check.CompleteMember, 2},
		{"inline int OPT = 0; BEGIN { OPT ? @times = count() : 1; printa(@t|", "times", "", check.CompleteAggregation, 1},
		{"inline int OPT = 0; BEGIN { OPT ? self->start = 1 : 1; OPT ? trace(self->st|) : 1; }", "start", "", check.CompleteVariable, 2},
		{"BEGIN { $1 ? trace(curthread->pa|", "parent", "pid", check.CompleteMember, 2},
		{"#pragma D option qu|", "quiet", "strsize", check.CompleteOption, 2},
		{"#pragma D op|", "option", "", check.CompleteKeyword, 2},
		{"#pragma D option bufpolicy=r|", "ring", "fill", check.CompleteOption, 1},
	} {
		from, list := complete(tt.text)
		at := slices.IndexFunc(list, func(c check.Completion) bool { return c.Text == tt.has && c.Kind == tt.kind })
		if at < 0 {
			t.Errorf("%s: %q is not among %v", tt.text, tt.has, list)
		}
		if slices.ContainsFunc(list, func(c check.Completion) bool { return c.Text == tt.not && tt.not != "" }) {
			t.Errorf("%s: %q is offered", tt.text, tt.not)
		}
		if want := strings.Index(tt.text, "|") - tt.from; from != want {
			t.Errorf("%s: replaces from %d, want %d", tt.text, from, want)
		}
	}
}

func TestCompleteIsQuiet(t *testing.T) {
	for _, text := range []string{
		"BEGIN { trace(\"exec|",
		"BEGIN { // exec|",
		"BEGIN { /* exec| */ }",
		"BEGIN { x = 12|",
		"BEGIN { trace(pid->|",
		"BEGIN { trace(nothing->|",
		"BEGIN { trace(curthread->secret->|",
		"syscall::read:entry |",
		"BEGIN { int total; } END { tot|",
	} {
		if _, list := complete(text); len(list) > 0 {
			t.Errorf("%s offers %v", text, list)
		}
	}
}
