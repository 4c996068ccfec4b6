package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/widget"
)

// TestNoKeyIsBoundTwice holds that the tables of the root and of each pane do
// not claim one key for two things.
func TestNoKeyIsBoundTwice(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	for p := range slots {
		seen := map[string]string{}
		rows := append(widget.Helps(&m, always), m.in(p).Keys()...)
		if p != editorSlot { // letters are typed there, and it wants tab for itself
			rows = append(rows, widget.Helps(&m, calm)...)
		}
		for _, h := range rows {
			for _, on := range strings.Fields(h.On) {
				if _, ok := widget.ParseKey(on); !ok {
					t.Errorf("%v: no key is called %s", p, on)
				}
				if before := seen[on]; before != "" && on != "ctrl+c" { // copies a selection, else leaves
					t.Errorf("%v: %s means %q and %q", p, on, before, h.Text)
				}
				seen[on] = h.Text
			}
		}
	}
}

// TestHelpListsEveryKey holds that help is all of the tables.
func TestHelpListsEveryKey(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, h := range m.helpLines() {
		listed[h.On+h.Text] = true
	}
	for _, table := range [][]widget.Help{widget.Helps(&m, always), widget.Helps(&m, back), widget.Helps(&m, calm), m.in(browserSlot).Keys(),
		m.in(editorSlot).Keys(), m.in(liveSlot).Keys(), m.in(outputSlot).Keys()} {
		for _, h := range table {
			if !listed[h.On+h.Text] {
				t.Errorf("help lacks %s: %s", h.On, h.Text)
			}
		}
	}
}

// TestBack goes back level by level with one key, until there is none.
func TestBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		b.keys("alt+4", "2", "alt++", "esc")
		if m := b.model(); m.shape.zoom || m.focus != editorSlot {
			t.Errorf("from the enlarged script to zoom %t, %v", m.shape.zoom, m.focus)
		}
		b.keys("esc")
		if m := b.model(); m.focus != outputSlot {
			t.Errorf("from the script to %v, want the pane before", m.focus)
		}
		b.keys("esc")
		b.shows("nothing to go back from")
		b.end()
	})
}

// TestPaletteActs does by name what a key would, and lets it speak.
func TestPaletteActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{Depth: themes.TrueColor})
		b.keys("ctrl+p")
		b.text("theme")
		b.keys("enter")
		b.shows("theme " + b.model().looks.theme + ": ")
		b.keys("ctrl+p")
		b.text("stop the run")
		b.keys("enter")
		b.shows("nothing is running")
		b.end()
	})
}

// TestBurst types faster than the terminal is read: letters come in one piece.
func TestBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1"), Alt: true})
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("431/read")})
		if m := b.model(); m.focus != browserSlot || !m.browser.Typing() {
			t.Errorf("focus %v, typing %t", m.focus, m.browser.Typing())
		}
		b.shows("/read")
		b.end()
	})
}

func TestThemes(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	var model tea.Model = m
	model, _ = model.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	seen := map[string]bool{}
	for range themes.Names() {
		seen[model.View()] = true
		msg, _ := widget.ParseKey("alt+t")
		model, _ = model.Update(msg)
	}
	if len(seen) != len(themes.Names()) {
		t.Errorf("%d themes look like %d", len(themes.Names()), len(seen))
	}
}
