package browser

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

func probe(s string) trace.Probe {
	p := strings.SplitN(s, ":", 4)
	return trace.Probe{Provider: p[0], Module: p[1], Function: p[2], Name: p[3]}
}

func small() *Catalog {
	var probes []trace.Probe
	for _, s := range strings.Fields(`dtrace:::BEGIN dtrace:::END dtrace:::ERROR profile:::tick-1s
		sdt:sched::sched_switch sdt:sched::sched_wakeup sdt:block::block_rq_issue
		syscall:vmlinux:read:entry syscall:vmlinux:read:return syscall:vmlinux:write:entry syscall:vmlinux:write:return`) {
		probes = append(probes, probe(s))
	}
	return NewCatalog(probes, []trace.ProviderInfo{
		{Name: "fbt", Help: "kernel functions", Unavailable: "lockdown refuses kprobes"},
		{Name: "syscall", Help: "entry and return of every system call"},
	})
}

func describe(_ context.Context, p trace.Probe) (trace.ProbeInfo, error) {
	if p.Name == "return" {
		return trace.ProbeInfo{}, errors.New("no type information")
	}
	return trace.ProbeInfo{Probe: p, Args: []trace.Arg{{Name: "fd", Type: "int"}, {Type: "char *"}}, Help: "is told about\x1b[2J", Hook: "tp_btf sys_enter"}, nil
}

func pane(t testing.TB, w, h int) *Model {
	t.Helper()
	th, err := themes.Load("", themes.Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	m := New(th, describe, nil)
	m.SetFocus(true)
	m.SetSize(w, h)
	m.SetCatalog(small())
	return m
}

// deliver gives the model a message and all that follows from it; what is meant
// for the parent is returned.
func deliver(m *Model, msg tea.Msg) (*Model, []tea.Msg) {
	var out []tea.Msg
	cmd := m.Update(msg)
	queue := []tea.Cmd{cmd}
	for len(queue) > 0 {
		cmd, queue = queue[0], queue[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case foundMsg, restMsg, infoMsg:
			var next tea.Cmd
			next = m.Update(msg)
			queue = append(queue, next)
		case nil:
		default:
			out = append(out, msg)
		}
	}
	return m, out
}

func press(t testing.TB, m *Model, names string) (*Model, []tea.Msg) {
	t.Helper()
	var all []tea.Msg
	for _, n := range strings.Fields(names) {
		msg, ok := keymap.ParseKey(n)
		if !ok {
			t.Fatalf("no key is called %s", n)
		}
		var out []tea.Msg
		m, out = deliver(m, msg)
		all = append(all, out...)
	}
	return m, all
}

func shown(m *Model) string {
	var out []string
	for _, line := range strings.Split(ansi.Strip(strings.Join(m.Rows(), "\n")), "\n") {
		out = append(out, strings.TrimRight(line, " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

func TestTreeOpensLazily(t *testing.T) {
	m := pane(t, 40, 30)
	if got := shown(m); !strings.HasPrefix(got, `▌▸ dtrace                               3
   profile:tick-1s`) && !strings.Contains(got, "✗ fbt lockdown refuses kprobes") {
		t.Errorf("got:\n%s", got)
	}
	m, _ = press(t, m, "j j j right j right j right")
	want := `▾ syscall 4 ▾ vmlinux 4 ▌ ▾ read 2 entry return ▸ write 2`
	if got := shown(m); !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	m, _ = press(t, m, "j") // into read: entry
	got := shown(m)
	for _, want := range []string{"args[0] int fd", "args[1] char *", "is told about^[[2J", "hook: tp_btf"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	m, _ = press(t, m, "j")
	if got := shown(m); !strings.Contains(got, "no type information") {
		t.Errorf("the reason is not shown:\n%s", got)
	}
	m, _ = press(t, m, "h h")
	if got := shown(m); strings.Contains(got, "entry") || !strings.Contains(got, "▸ read") {
		t.Errorf("read is not closed:\n%s", got)
	}
}

func TestBranchesWithoutNamesArePassedOver(t *testing.T) {
	m := pane(t, 40, 30)
	m, _ = press(t, m, "g j j right j j right")
	if got := shown(m); !strings.Contains(got, "▾ sched") || !strings.Contains(got, "     sched_switch") && !strings.Contains(got, "       sched_switch") {
		t.Errorf("got:\n%s", got)
	}
}

func TestEnterInserts(t *testing.T) {
	m := pane(t, 60, 30)
	m, _ = press(t, m, "/ w r i t e")
	if !m.Typing() {
		t.Fatal("not typing")
	}
	m, out := press(t, m, "enter")
	if len(out) != 1 || out[0] != (InsertMsg{"syscall:vmlinux:write:entry"}) {
		t.Errorf("enter sent %v", out)
	}
	m, out = press(t, m, "esc j j j i")
	if len(out) != 1 || out[0] != (InsertMsg{"syscall:::"}) {
		t.Errorf("i on a branch sent %v:\n%s", out, shown(m))
	}
	_, out = press(t, m, "y")
	if len(out) != 1 || out[0] != (widget.CopyMsg{Text: "syscall:::"}) {
		t.Errorf("y sent %v", out)
	}
	m, out = press(t, m, "G i")
	if len(out) != 0 || !strings.Contains(m.Why(), "lockdown") {
		t.Errorf("a family that cannot be had is inserted: %v, why %q", out, m.Why())
	}
}

// Enter takes what the words find that were typed, also when they come faster than they are
// looked for.
func TestEnterWaitsForTheSearch(t *testing.T) {
	m, _ := press(t, pane(t, 40, 20), "/")
	m, _ = press(t, m, "r e a d") // found
	var late []tea.Cmd
	for _, c := range "\b\b\b\bwri" {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}}
		if c == '\b' {
			msg = tea.KeyMsg{Type: tea.KeyBackspace}
		}
		late = append(late, m.Update(msg))
	}
	if cmd := m.Update(tea.KeyMsg{Type: tea.KeyEnter}); cmd != nil {
		t.Errorf("enter takes %v of the query before", cmd())
	}
	var out []tea.Msg
	for _, cmd := range late {
		if cmd == nil {
			continue
		}
		if msg, ok := cmd().(foundMsg); ok {
			_, more := deliver(m, msg)
			out = append(out, more...)
		}
	}
	if len(out) != 1 || out[0] != (InsertMsg{"syscall:vmlinux:write:entry"}) {
		t.Errorf("enter takes %v", out)
	}
}

func TestStaleResultsAreDropped(t *testing.T) {
	m := pane(t, 60, 30)
	m, _ = press(t, m, "/")
	first := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("w")})
	m, _ = press(t, m, "x")
	late := first()
	if _, ok := late.(foundMsg); !ok {
		t.Fatalf("a letter asks for %T", late)
	}
	found := m.result
	m.Update(late)
	if m.result != found {
		t.Error("an answer to an old query is shown")
	}
}

func TestEveryLineIsAsWideAsThePane(t *testing.T) {
	for w := 0; w < 70; w += 3 {
		for _, h := range []int{0, 1, 3, 9, 10, 30} {
			m := pane(t, w, h)
			m.describe = nil
			for _, keys := range []string{"j j j right j right j right j", "/ r e a d"} {
				m, _ = press(t, m, keys)
				lines := m.Rows()
				if h > 0 && len(lines) != h {
					t.Fatalf("%dx%d: %d lines", w, h, len(lines))
				}
				for _, line := range lines {
					if got := ansi.StringWidth(line); h > 0 && got != w {
						t.Fatalf("%dx%d: a line is %d wide: %q", w, h, got, line)
					}
				}
			}
		}
	}
}

// A name that one line does not hold is told of whole below the list.
func TestNameIsWhole(t *testing.T) {
	m := pane(t, 21, 24)
	for name, want := range map[string]string{
		"syscall:vmlinux:read:entry": " syscall:vmlinux:| read:entry",
		"short:a:b:c":                " short:a:b:c",
		"usdt:libcrypto.so.3:do_all_of_it_at_once_now:entry": " usdt:libcrypto.so.3:| …t_at_once_now:entry",
	} {
		got := ""
		for i, l := range m.whole(m.looks.leaf, name) {
			if i > 0 {
				got += "|"
			}
			got += l[0].s
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestClick(t *testing.T) {
	m := pane(t, 40, 30)
	for range 2 {
		m.Update(tea.MouseMsg{X: 3, Y: 3, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	if got := shown(m); !strings.Contains(got, "▾ syscall") {
		t.Errorf("two clicks do not open:\n%s", got)
	}
}

// TestQueryIsALine edits the query as any other line of input.
func TestQueryIsALine(t *testing.T) {
	m := pane(t, 40, 12)
	if m, _ = press(t, m, "/ w x i left backspace r"); m.query != "wri" {
		t.Errorf("the query is %q, want wri", m.query)
	}
	if m, _ = press(t, m, "end ctrl+u"); m.query != "" || !m.Typing() {
		t.Errorf("after ctrl+u the query is %q, typing %t", m.query, m.Typing())
	}
}
