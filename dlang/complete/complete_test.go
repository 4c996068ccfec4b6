package complete_test

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/check/checktest"
	"dscope.dev/dlang/complete"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// complete returns what is offered where the bar stands in text.
func at(text string) (from int, list []complete.Completion) {
	before, after, _ := strings.Cut(text, "|")
	f := token.NewFile("script", before+after)
	s, _ := parser.Parse(f)
	return complete.At(f, s, checktest.New(), map[string]string{"target": "7"}, len(before))
}

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		text string
		has  string // must be among the completions
		not  string // must not
		kind complete.Kind
		from int // bytes before the cursor
	}{
		{"sys|", "sys", "", complete.Probe, 3},
		{"syscall::re|", "syscall::re", "", complete.Probe, 11},
		{"|", "", "", complete.Probe, 0},
		{"BEGIN { x = 1; }\nsyscall:|", "syscall:", "", complete.Probe, 8},
		{"BEGIN, tick-|", "tick-", "", complete.Probe, 5},
		{"syscall::r| { trace(pid); }", "syscall::r", "", complete.Probe, 10},
		{"int|", "int", "", complete.Keyword, 3},
		{"BEGIN { exec|", "execname", "pid", complete.Variable, 4},
		{"BEGIN { exec| }", "execname", "execargs()", complete.Variable, 4},
		{"BEGIN { time|; } BEGIN { x", "timestamp", "pid", complete.Variable, 4},
		{"BEGIN { @a = quan|", "quantize", "count", complete.Function, 4},
		{"BEGIN { total = 1; } END { tot|", "total", "", complete.Variable, 3},
		{"BEGIN { int total = 1; { int tot1; } tot|", "total", "tot1", complete.Variable, 3},
		{"BEGIN { for (int round = 0; round < 3; round++) { rou|; } }", "round", "", complete.Variable, 3},
		{"int larger(int left, int right) { return le|; } BEGIN { }", "left", "", complete.Variable, 2},
		{"int larger(int left, int right) { return left; } BEGIN { trace(la|", "larger", "left", complete.Function, 2},
		{"BEGIN { struct task_struct *t = curthread; trace(t->pa|", "parent", "", complete.Member, 2},
		{"BEGIN { wh|", "while", "", complete.Keyword, 2},
		{"BEGIN { self->start = 1; self->st|", "start", "execname", complete.Variable, 2},
		{"BEGIN { @times = count(); printa(@t|", "times", "timestamp", complete.Aggregation, 1},
		{"BEGIN { trace($ta|", "target", "", complete.Variable, 2},
		{"BEGIN { trace(curthread->pa|", "parent", "pid", complete.Member, 2},
		{"BEGIN { trace(curthread->parent->|); } END { }", "comm", "execname", complete.Member, 0},
		{"BEGIN { x = 1 + curthread->on|", "on_rq", "", complete.Member, 2},
		{"BEGIN { trace(curthread->mm->|", "total_vm", "", complete.Member, 0},
		{"sdt:::sched_switch { printf(\"%s\", args[1]->co|", "comm", "", complete.Member, 2},
		{"sdt:::sched_switch /args[1]->p|", "pid", "", complete.Member, 1},
		{"sdt:::sched_switch /args[1]->p|/ { trace(1); }", "parent", "", complete.Member, 1},
		{"BEGIN { this->t = curthread; } BEGIN { @[this->t->|] = count(); }", "comm", "", complete.Member, 0},
		{"BEGIN { trace(((struct task_struct *)arg0)->st|", "state", "", complete.Member, 2},
		{"struct pair { int left; int right; }; BEGIN { this->p = (struct pair *)arg0; trace(this->p->|", "left", "", complete.Member, 0},
		{"struct pair { int a; }; BEGIN { trace(sizeof (struct p|", "pair", "", complete.Type, 1},
		{"BEGIN { x = (uint8|", "uint8_t", "", complete.Type, 5},
		{"BEGIN { trace(curps|", "curpsinfo", "pid", complete.Variable, 5},
		{"BEGIN { trace(curpsinfo->pr_f|", "pr_fname", "pr_flag", complete.Member, 4},
		{"BEGIN { trace(curpsinfo->pr_lwp.pr_n|", "pr_name", "pr_nice", complete.Member, 4},
		{"BEGIN { trace(xlate <psinfo_t> (curthread).pr_f|", "pr_fname", "pr_flag", complete.Member, 4},
		{"struct s { int a; int b; }; translator struct s < int n > { a = n; }; BEGIN { trace(xlate <struct s *> (1)->|", "a", "b", complete.Member, 0},
		{"inline int limit[int a] = a; BEGIN { trace(lim|", "limit", "", complete.Variable, 3},
		{"BEGIN { trace(((psinfo_t *)arg0)->pr_f|", "pr_flag", "", complete.Member, 4},
		{"BEGIN { trace(SIGI|", "SIGINT", "SIGHUP", complete.Variable, 4},
		{"BEGIN { x = (psin|", "psinfo_t", "", complete.Type, 4},
		{"inline int OPT = 1; BEGIN { OPT ? 1 : trace(curthread->pa|", "parent", "pid", complete.Member, 2},
		{"inline int OPT = 0; BEGIN { OPT ? @a[curthread->pa|] = count() : 1; }", "parent", "pid", complete.Member, 2},
		{"inline int OPT = 0; BEGIN { OPT ? @times = count() : 1; printa(@t|", "times", "", complete.Aggregation, 1},
		{"inline int OPT = 0; BEGIN { OPT ? self->start = 1 : 1; OPT ? trace(self->st|) : 1; }", "start", "", complete.Variable, 2},
		{"BEGIN { $1 ? trace(curthread->pa|", "parent", "pid", complete.Member, 2},
		{"#pragma D option qu|", "quiet", "strsize", complete.Option, 2},
		{"#pragma D op|", "option", "", complete.Keyword, 2},
		{"#pragma D option bufpolicy=r|", "ring", "fill", complete.Option, 1},
	} {
		from, list := at(tt.text)
		at := slices.IndexFunc(list, func(c complete.Completion) bool { return c.Text == tt.has && c.Kind == tt.kind })
		if at < 0 {
			t.Errorf("%s: %q is not among %v", tt.text, tt.has, list)
		}
		if slices.ContainsFunc(list, func(c complete.Completion) bool { return c.Text == tt.not && tt.not != "" }) {
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
		if _, list := at(text); len(list) > 0 {
			t.Errorf("%s offers %v", text, list)
		}
	}
}
