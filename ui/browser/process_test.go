package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/keymap"
)

// machine is a source of processes whose answers a test decides on.
type machine struct {
	list  []trace.Process
	files []trace.Module
	fails map[string]error
	asked []string // files whose functions were asked for
	gone  bool
}

func newMachine() *machine {
	return &machine{
		list: []trace.Process{{PID: 7, Name: "init", User: "root"}, {PID: 120, Name: "shop", User: "ann", Line: "./shop --open"},
			{PID: 1207, Name: "psql", User: "postgres", Line: "psql -h shop"}},
		files: []trace.Module{{Name: "shop", Path: "/srv/shop", Main: true}, {Name: "libc.so.6", Path: "/lib/libc.so.6"}, {Name: "libz.so", Path: "/lib/libz.so"}},
	}
}

func (s *machine) Processes(context.Context) ([]trace.Process, error) { return s.list, nil }

func (s *machine) Process(_ context.Context, pid int) (trace.ProcessInfo, error) {
	i := slices.IndexFunc(s.list, func(p trace.Process) bool { return p.PID == pid })
	if i < 0 || s.gone {
		return trace.ProcessInfo{}, fmt.Errorf("there is no process %d", pid)
	}
	return trace.ProcessInfo{Process: s.list[i], Modules: s.files, Probes: []trace.Probe{probe("store120:shop:sell:sold")},
		Missing: []trace.ProviderInfo{{Name: "plockstat", Unavailable: "it has no locks"}}}, nil
}

func (s *machine) Functions(_ context.Context, p trace.Process, f trace.Module) ([]trace.Probe, error) {
	s.asked = append(s.asked, f.Name)
	if err := s.fails[f.Name]; err != nil {
		return nil, err
	}
	var list []trace.Probe
	for _, n := range map[string][]string{"shop": {"main", "shop::sell(int)"}, "libc.so.6": {"malloc", "read"}}[f.Name] {
		for _, what := range []string{"entry", "return"} {
			list = append(list, trace.Probe{Provider: fmt.Sprintf("pid%d", p.PID), Module: f.Name, Function: n, Name: what})
		}
	}
	return list, nil
}

// Ended gives up at once: a test tells of the end of a process itself.
func (s *machine) Ended(context.Context, trace.Process) error { return context.Canceled }

// stage is a pane over a machine.
type stage struct {
	t    *testing.T
	m    *Model
	from *machine
	out  []tea.Msg // what was asked of the parent
}

func newStage(t *testing.T, w, h int) *stage {
	s := &stage{t: t, m: pane(t, w, h), from: newMachine()}
	s.m.source = s.from
	s.m.SetCatalog(NewCatalog(small().probes, []trace.ProviderInfo{{Name: "pid", Help: "functions of processes", Processes: true}}))
	return s
}

// send delivers a message and all that follows from it.
func (s *stage) send(msg tea.Msg) {
	s.follow(s.m.Update(msg))
}

func (s *stage) follow(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			s.follow(c)
		}
	case InsertMsg, TargetMsg, AgainMsg:
		s.out = append(s.out, msg)
	case nil:
	default:
		s.send(msg)
	}
}

// press presses keys by their names; a word in quotes is typed.
func (s *stage) press(names string) {
	s.t.Helper()
	for _, n := range strings.Fields(names) {
		if word, typed := strings.CutPrefix(n, "'"); typed {
			s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(word)})
			continue
		}
		msg, ok := keymap.ParseKey(n)
		if !ok {
			s.t.Fatalf("no key is called %s", n)
		}
		s.send(msg)
	}
}

func (s *stage) shows(parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if !strings.Contains(shown(s.m), p) {
			s.t.Errorf("the pane lacks %q:\n%s", p, shown(s.m))
		}
	}
}

func (s *stage) inserted() string {
	s.t.Helper()
	if len(s.out) == 0 {
		s.t.Fatalf("nothing was asked of the parent:\n%s", shown(s.m))
	}
	msg := s.out[len(s.out)-1]
	in, ok := msg.(InsertMsg)
	if !ok {
		s.t.Fatalf("got %#v", msg)
	}
	return in.Pattern
}

func TestPickerNarrows(t *testing.T) {
	s := newStage(t, 60, 24)
	s.press("p")
	if s.m.Title() != "processes" || !s.m.Typing() {
		t.Errorf("the picker is not open: %q", s.m.Title())
	}
	s.shows("      7 init root", "    120 shop ann ./shop --open", "   1207 psql postgres psql -h shop")
	s.press("'shop")
	s.shows("? shop")
	if got := s.m.picker.found; !slices.Equal(got, []int{1, 2}) {
		t.Errorf("found %v: what is called shop comes first", got)
	}
	s.press("ctrl+u 'ann")
	s.shows("shop process 120 of ann")
	s.press("ctrl+u 'nobody")
	s.shows("no process matches")
	s.press("enter esc")
	if s.m.Typing() || s.m.inside() || s.m.scope != nil {
		t.Error("esc does not close the picker")
	}
}

// Nothing is read of a process before somebody opens a file.
func TestProcessIsReadWhenAsked(t *testing.T) {
	s := newStage(t, 60, 30)
	s.press("end k")
	for range 10 { // to the family whose probes are those of processes
		if r, _ := s.m.selected(); r.label == "pid" {
			break
		}
		s.press("k")
	}
	s.shows("pid", "processes")
	s.press("enter '120 enter")
	s.shows("▾ pid120", "▸ shop", "not read", "▸ libc.so.6", "▸ store120", "✗ plockstat it has no locks")
	if len(s.from.asked) > 0 || s.m.Title() != "120 shop" {
		t.Errorf("asked for %v; title %q", s.from.asked, s.m.Title())
	}
	s.shows("/srv/shop", "enter reads its functions")
	s.press("enter")
	s.shows("▾ shop", "▸ main", "shop::sell(int)")
	if !slices.Equal(s.from.asked, []string{"shop"}) {
		t.Errorf("asked for %v", s.from.asked)
	}
	s.press("i") // the file
	if got := s.inserted(); got != "pid120:shop::entry" {
		t.Errorf("inserts %q", got)
	}
	s.press("j i")
	if got := s.inserted(); got != "pid120:shop:main:entry,\npid120:shop:main:return" {
		t.Errorf("inserts %q", got)
	}
	s.press("right j enter")
	if got := s.inserted(); got != "pid120:shop:main:entry" {
		t.Errorf("inserts %q", got)
	}
	s.shows("args[0] int fd")
	s.press("esc")
	if s.m.scope != nil || s.m.inside() {
		t.Error("esc does not lead back to the machine")
	}
	s.shows("syscall")
}

func TestSearchOfProcessReadsAll(t *testing.T) {
	s := newStage(t, 60, 30)
	s.from.fails = map[string]error{"libz.so": errors.New("no symbols")}
	s.press("p '120 enter / 'sell")
	if !slices.Equal(s.from.asked, []string{"shop", "libc.so.6", "libz.so"}) {
		t.Errorf("asked for %v", s.from.asked)
	}
	s.shows("pid120:shop:shop::sell(int):entry", "store120:shop:sell:sold")
	s.press("ctrl+u 'int):entry enter")
	if got := s.inserted(); got != "pid120:shop:shop??sell?int?:entry" {
		t.Errorf("inserts %q", got)
	}
	s.press("esc")
	s.shows("▸ libz.so", "no symbols", "▾ pid120")
	s.press("home")
	for r, _ := s.m.selected(); r.label != "libz.so"; r, _ = s.m.selected() {
		s.press("j")
	}
	s.from.fails = nil
	s.press("enter") // again
	s.shows("no functions are known of it")
}

func TestTargetIsWritten(t *testing.T) {
	s := newStage(t, 60, 30)
	s.press("p '120 enter t")
	msg, ok := s.out[0].(TargetMsg)
	if !ok || msg.Process.PID != 120 {
		t.Fatalf("got %#v", s.out)
	}
	s.m.SetTarget(msg.Process)
	if s.m.Title() != "120 shop, $target" {
		t.Errorf("title %q", s.m.Title())
	}
	s.press("/ 'sold enter")
	if got := s.inserted(); got != "store$target:shop:sell:sold" {
		t.Errorf("inserts %q", got)
	}
	s.press("esc t")
	if msg := s.out[len(s.out)-1].(TargetMsg); msg.Process.PID != 0 {
		t.Errorf("t does not let go: %#v", msg)
	}
}

func TestProcessEnds(t *testing.T) {
	s := newStage(t, 60, 30)
	s.press("p '120 enter enter")
	s.send(endedMsg{&scope{}, errors.New("another")})
	s.send(endedMsg{s.m.scope, errors.New("process 120 (shop) has ended")})
	if s.m.Title() != "ended: 120 shop" {
		t.Errorf("title %q", s.m.Title())
	}
	s.press("j right j enter")
	if len(s.out) > 0 || s.m.Why() != "process 120 (shop) has ended" {
		t.Errorf("a probe of a dead process is inserted: %v, %q", s.out, s.m.Why())
	}
	s.press("t")
	if s.m.Why() != "process 120 (shop) has ended" {
		t.Errorf("a dead process is made the target: %q", s.m.Why())
	}
	s.from.gone = true
	s.press("r")
	s.shows("there is no process 120")
	s.press("esc")
	if s.m.scope != nil {
		t.Error("no way back")
	}
}

// The answer that comes after somebody has given up, or gone on, changes nothing.
func TestReadingIsGivenUp(t *testing.T) {
	s := newStage(t, 60, 30)
	s.press("p '120 enter")
	cmd := s.m.Update(tea.KeyMsg{Type: tea.KeyEnter})
	s.shows("reading …", "esc gives up")
	s.press("esc")
	s.shows("not read")
	s.follow(cmd)
	s.shows("not read")
	s.press("enter")
	s.shows("▾ shop")

	s.follow(s.m.Update(tea.KeyMsg{Type: tea.KeyDown}))
	old := s.m.scope
	s.press("esc p '7 enter")
	s.send(functionsMsg{old, 0, nil, nil})
	s.send(builtMsg{scope: old, catalog: small()})
	s.shows("▾ pid7", "not read")
}
