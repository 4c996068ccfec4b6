package browser

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// on returns a pane whose cursor is on a probe, or another line, of the small catalog.
func on(t *testing.T, line string) *Model {
	t.Helper()
	m := pane(t, 60, 30)
	m, _ = press(t, m, "/")
	for _, r := range line {
		m, _ = press(t, m, string(r))
	}
	m, _ = press(t, m, "tab")
	return m
}

// TestTry counts a probe, tells what came, and gives up what nobody waits for.
func TestTry(t *testing.T) {
	m := on(t, "read")
	m, out := press(t, m, "space")
	ask, ok := out[0].(TryMsg)
	if !ok || ask.Pattern != "syscall:vmlinux:read:entry" {
		t.Fatalf("asks %+v", out)
	}
	if got := shown(m); !strings.Contains(got, "counting for a second") {
		t.Errorf("while it counts:\n%s", got)
	}
	m, _ = deliver(m, TriedMsg{ID: ask.ID, Lost: 2, Names: []Tried{{"dd\x1b[2J", 12345}, {"cat", 50}, {"b", 2}, {"c", 1}, {"d", 1}}})
	got := shown(m)
	for _, want := range []string{"12,399 in a second, 2 lost", "12,345 dd^[[2J", "50 cat", "2 b, 2 more programs", "args[0] int fd"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if ask.Ctx.Err() == nil {
		t.Error("what was asked for is still waited for")
	}
	m, _ = press(t, m, "down")
	if got := shown(m); strings.Contains(got, "in a second") {
		t.Errorf("another probe has the count of the first:\n%s", got)
	}
	m, out = press(t, m, "up space")
	again := out[0].(TryMsg)
	m, _ = press(t, m, "esc")
	if again.ID == ask.ID || again.Ctx.Err() == nil || strings.Contains(shown(m), "counting") || !m.Searching() {
		t.Errorf("esc does not end the counting alone:\n%s", shown(m))
	}
	m, _ = deliver(m, TriedMsg{ID: again.ID, Names: []Tried{{"late", 1}}})
	if got := shown(m); strings.Contains(got, "late") {
		t.Errorf("an answer that nobody waits for is shown:\n%s", got)
	}
	for _, tt := range []struct {
		msg  TriedMsg
		want string
	}{{TriedMsg{}, "none in a second"}, {TriedMsg{Err: errors.New("no privileges")}, "no privileges"}} {
		m, out = press(t, m, "space")
		tt.msg.ID = out[0].(TryMsg).ID
		m, _ = deliver(m, tt.msg)
		if got := shown(m); !strings.Contains(got, tt.want) {
			t.Errorf("lacks %q:\n%s", tt.want, got)
		}
	}
}

// TestTryABranch counts all that is in it, if that is not too much.
func TestTryABranch(t *testing.T) {
	m := pane(t, 60, 30)
	if _, out := press(t, m, "j j j space"); len(out) != 1 || out[0].(TryMsg).Pattern != "syscall:::" {
		t.Errorf("asks %+v", out)
	}
	var many []trace.Probe
	for i := range mostTried + 1 {
		many = append(many, probe("fbt:vmlinux:f"+string(rune('a'+i%26))+fmt.Sprint(i)+":entry"))
	}
	m = pane(t, 60, 30)
	m.SetCatalog(NewCatalog(many, nil))
	if m, out := press(t, m, "space"); len(out) != 0 || !strings.Contains(m.Why(), "501 probes are too many to try") {
		t.Errorf("asks %v, says %q", out, m.Why())
	}
}

// TestLatency inserts a pair of clauses, of either of the two probes.
func TestLatency(t *testing.T) {
	want := `syscall:vmlinux:read:entry
{
	self->read_ts = timestamp;
}

syscall:vmlinux:read:return
/self->read_ts != 0/
{
	@read[execname] = quantize(timestamp - self->read_ts);
	self->read_ts = 0;
}`
	for _, line := range []string{"read:entry", "read:return"} {
		if m, out := press(t, on(t, line), "l"); len(out) != 1 || out[0] != (InsertMsg{want}) {
			t.Errorf("%s inserts %q (%s)", line, out, m.Why())
		}
	}
	if m, out := press(t, on(t, "sched_switch"), "l"); len(out) != 0 || !strings.Contains(m.Why(), "no entry and return") {
		t.Errorf("inserts %q, says %q", out, m.Why())
	}
	if m, out := press(t, pane(t, 60, 30), "l"); len(out) != 0 || !strings.Contains(m.Why(), "choose a system call") {
		t.Errorf("a provider inserts %q, says %q", out, m.Why())
	}
}

// TestArgument chooses one of several.
func TestArgument(t *testing.T) {
	m, _ := press(t, on(t, "read:entry"), "a")
	if got := shown(m); !strings.Contains(got, "▌args[0] int fd") {
		t.Errorf("it does not ask:\n%s", got)
	}
	m, out := press(t, m, "down enter")
	if want := (InsertMsg{"syscall:vmlinux:read:entry\n{\n\t@read_arg1[copyinstr(arg1)] = count();\n}"}); len(out) != 1 || out[0] != want {
		t.Errorf("inserts %q", out)
	}
	m, out = press(t, m, "a esc")
	if len(out) != 0 || m.choice.open || !m.Searching() {
		t.Errorf("esc inserts %q, or leaves more than the choice", out)
	}
	if m, out := press(t, on(t, "read:return"), "a"); len(out) != 0 || m.Why() != "no type information" {
		t.Errorf("inserts %q, says %q", out, m.Why())
	}
}

// TestLatencyNames keeps a system call apart from the functions of its name that a thread
// is in at the same time.
func TestLatencyNames(t *testing.T) {
	seen := map[string]string{}
	for _, p := range []string{"syscall:vmlinux:read:entry", "pid77:libc.so.6:read:entry", "pid77:libfuse.so:read:entry", "fbt:vmlinux:read:entry", "fbt:fuse:read:entry"} {
		text := latency(probe(p), trace.Probe.String)
		_, name, _ := strings.Cut(text, "self->")
		name, _, _ = strings.Cut(name, " ")
		if other := seen[name]; other != "" || !strings.Contains(text, "/self->"+name+" != 0") {
			t.Errorf("%s and %s both store self->%s:\n%s", p, other, name, text)
		}
		seen[name] = p
		if note := strings.Contains(text, "calls itself"); note != !strings.HasPrefix(p, "syscall") {
			t.Errorf("%s: a note on recursion: %v", p, note)
		}
	}
}

// TestTryUnreadFiles counts nothing whose size is not known: the branch of a process's
// functions describes those of every file, whichever have been read.
func TestTryUnreadFiles(t *testing.T) {
	info := &trace.ProcessInfo{Process: trace.Process{PID: 77}, Modules: []trace.Module{{Name: "a", Path: "/a"}, {Name: "libc.so", Path: "/libc.so"}}}
	a := []trace.Probe{probe("pid77:a:f:entry"), probe("pid77:a:f:return")}
	m := pane(t, 60, 30)
	for _, read := range []map[int][]trace.Probe{nil, {0: a}} {
		m.SetCatalog(newProcessCatalog(info, read))
		if m, out := press(t, m, "g space"); len(out) != 0 || !strings.Contains(m.Why(), "try a file, or a function") {
			t.Errorf("with %d of 2 files read it asks %v, says %q", len(read), out, m.Why())
		}
	}
	m.SetCatalog(newProcessCatalog(info, map[int][]trace.Probe{0: a, 1: {probe("pid77:libc.so:g:entry")}}))
	if m, out := press(t, m, "g space"); len(out) != 1 || out[0].(TryMsg).Pattern != "pid77:::entry" {
		t.Errorf("with all read it asks %v, says %q", out, m.Why())
	}
}

func TestArgumentTypes(t *testing.T) {
	for _, tt := range []struct{ probe, name, typ, want string }{
		{"syscall:vmlinux:read:entry", "count", "size_t", "@read_count[execname] = quantize(args[2]);"},
		{"syscall:vmlinux:write:entry", "count", "size_t", "@write_count[execname] = quantize(args[2]);"},
		{"sdt:sched::wakeup", "", "unsigned int", "@wakeup_arg2[execname] = quantize(args[2]);"},
		{"fbt:vmlinux:f:entry", "mode", "enum mode", "@vmlinux_f_mode[execname] = quantize(args[2]);"},
		{"io:::start", "x", "string", "@start_x[args[2]] = count();"},
		{"sdt:sched::wakeup", "comm", "const char *", "@wakeup_comm[stringof(args[2])] = count();"},
		{"pid77:libc.so.6:open:entry", "path", "char*", "@libc_so_6_open_path[copyinstr(arg2)] = count();"},
		{"fbt:vmlinux:f.isra.0:entry", "3-d", "int", "@vmlinux_f_isra_0_3_d[execname] = quantize(args[2]);"},
		{"io:::3-d", "n", "int", "@_3_d_n[execname] = quantize(args[2]);"},
		{"fbt:vmlinux:f:entry", "file", "struct file *", "points to a struct file"},
		{"fbt:vmlinux:f:entry", "u", "const union u *", "points to a const union u"},
		{"fbt:vmlinux:f:entry", "p", "void *", "is a void *, an address"},
		{"fbt:vmlinux:f:entry", "p", "struct file **", "is a struct file * *, an address"},
		{"fbt:vmlinux:f:entry", "v", "struct timespec", "is a struct timespec"},
		{"pid77:a:f:entry", "d", "double", "D has no such numbers"},
		{"sdt:sched::wakeup", "a", "char [16]", "no number"},
	} {
		text, why := argument("p", probe(tt.probe), 2, trace.Arg{Name: tt.name, Type: tt.typ})
		if !strings.Contains(text+why, tt.want) || (text == "") == (why == "") {
			t.Errorf("%s %s: %q, %q", tt.typ, tt.name, text, why)
		}
	}
}
