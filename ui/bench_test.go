package ui

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
)

// bench drives a model in a bubble of virtual time.
type bench struct {
	t    *testing.T
	m    tea.Model
	mu   sync.Mutex
	msgs []tea.Msg
	quit bool
}

func start(t *testing.T, f Backend, o Options) *bench {
	t.Helper()
	o.Depth = themes.Plain
	m, err := New(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, m: m}
	b.run(m.Init())
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	return b
}

func (b *bench) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		b.mu.Lock()
		b.msgs = append(b.msgs, msg)
		b.mu.Unlock()
	}()
}

func (b *bench) deliver(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		b.quit = true
		return
	}
	if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range v.Len() { // tea.Batch, or tea.Sequence: here in order
			b.run(v.Index(i).Interface().(tea.Cmd))
			b.settle()
		}
		return
	}
	if msg == nil {
		return
	}
	var cmd tea.Cmd
	b.m, cmd = b.m.Update(msg)
	b.run(cmd)
}

func (b *bench) settle() {
	for {
		synctest.Wait()
		b.mu.Lock()
		msgs := b.msgs
		b.msgs = nil
		b.mu.Unlock()
		if len(msgs) == 0 {
			return
		}
		for _, m := range msgs {
			b.deliver(m)
		}
	}
}

func (b *bench) send(msg tea.Msg) {
	b.deliver(msg)
	b.settle()
}

func (b *bench) keys(names ...string) {
	b.t.Helper()
	for _, n := range names {
		msg, ok := keymap.ParseKey(n)
		if !ok {
			b.t.Fatalf("no key %s", n)
		}
		b.send(msg)
	}
}

func (b *bench) text(s string) {
	for _, c := range s {
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
	}
}

func (b *bench) wait(d time.Duration) {
	for ; d > 0; d -= 10 * time.Millisecond {
		time.Sleep(10 * time.Millisecond)
		b.settle()
	}
}

func (b *bench) view() string { return ansi.Strip(b.m.View()) }

func (b *bench) model() Model { return b.m.(Model) }

// end lets everything that sleeps or waits come to its end.
func (b *bench) end() {
	b.model().open.closeAll()
	for range 3 {
		b.settle()
		time.Sleep(time.Minute)
	}
}

func (b *bench) shows(words ...string) {
	b.t.Helper()
	for _, w := range words {
		if !strings.Contains(b.view(), w) {
			b.t.Errorf("the screen lacks %q:\n%s", w, b.view())
		}
	}
}
