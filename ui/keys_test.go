package ui

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// tables are all that keys and the list of commands ask of the root.
func tables() []widget.Table[Model] {
	return []widget.Table[Model]{always, calm, back, readingActs, shelfActs, compareActs, ledgerActs, hostsActs, paletteActs, leaveActs, foreseenActs, helpActs, helpSearchActs}
}

// TestEveryActionIsDone holds that tables and keymap have the same actions: whoever gives
// a key to one has it do something.
func TestEveryActionIsDone(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables() {
		var done, named []string
		for _, a := range table.Acts {
			done = append(done, a.Name)
		}
		for _, r := range m.keys.Rows(table.Context) {
			named = append(named, r.Action)
		}
		if !slices.Equal(done, named) {
			t.Errorf("[%s] has %q, done are %q", table.Context, named, done)
		}
	}
	if got, want := len(m.box.Keys()), len(m.keys.Rows("why")); got != want {
		t.Errorf("the box of examples does %d actions, [why] has %d", got, want)
	}
	for p, context := range [...]string{"probes", "script", "live", "output"} {
		if got, want := len(m.in(slot(p)).Keys()), len(m.keys.Rows(context)); got != want {
			t.Errorf("%v does %d actions, [%s] has %d", slot(p), got, context, want)
		}
	}
}

// TestHelpListsEveryKey holds that help is all of the keymap that holds in panes.
func TestHelpListsEveryKey(t *testing.T) {
	m, err := New(context.Background(), &fake{}, Options{Depth: themes.Plain})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, h := range m.helpLines() {
		listed[keymap.Labels(h.On)+h.Text] = true
	}
	for _, context := range []string{"always", "back", "calm", "probes", "script", "live", "output", "why"} {
		for _, r := range m.keys.Rows(context) {
			if !listed[keymap.Labels(r.Keys)+r.Help] {
				t.Errorf("help lacks %s: %s", r.Keys, r.Help)
			}
		}
	}
}

// TestOtherKeys gives actions other keys, and finds these wherever keys are told and
// asked.
func TestOtherKeys(t *testing.T) {
	keys, errs := keymap.Default().Rebind("run.start  ctrl+g\ngo.line  none\nedit.complete  f8\ngo.complaint  none\nlive.heat  X\n" +
		"[help]\nlist.close  w\n[palette]\nlist.close  f3\n[leave]\nlist.close  b\nleave.leave  a\n[probes]\nprobes.search  x\n" +
		"[calm]\nhelp.open  none\n[always]\nmouse.toggle  alt+9\n[input]\ninput.tostart  alt+u\n")
	if errs != nil {
		t.Fatal(errs)
	}
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{Keys: keys})
		b.shows("ctrl+g runs the script", "f8 completes", "^G run")
		b.keys("ctrl+r")
		if m := b.model(); m.next.under() {
			t.Error("ctrl+r still runs the script")
		}
		b.keys("f1")
		b.shows("w closes")
		b.keys("esc")
		b.shows("w closes")
		b.keys("w", "alt+3", "H")
		b.shows("X shows one")
		b.keys("alt+1", "x", "a", "b", "alt+u")
		if m := b.model(); !m.browser.Typing() || m.browser.Searching() && strings.Contains(b.model().View(), "/ab") {
			t.Error("x does not search, or alt+u leaves what was typed")
		}
		b.keys("esc", "ctrl+p")
		b.text("go to a line")
		b.keys("enter") // by name, without any key
		b.shows("go to line: ")
		b.keys("esc", "x", "ctrl+q")
		b.shows("a leave without saving   b stay")
		b.keys("b", "alt+9")
		b.shows("alt+9 takes it")
		b.keys("alt+9")
		b.end()
	})
}

// TestReadme holds that the README, and the topics of dscope help, call keys by what they are.
func TestReadme(t *testing.T) {
	const topics = "../cmd/dscope/topic/text/"
	var text []byte
	for _, name := range []string{"../README.md", topics + "workbench.md", topics + "differences.md", topics + "losses.md",
		topics + "cost.md", topics + "questions.md", topics + "recordings.md", topics + "fleets.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, page...)
	}
	bound := map[string]bool{}
	for _, context := range keymap.Default().Contexts() {
		for _, r := range keymap.Default().Rows(context) {
			for _, key := range r.Keys {
				bound[key] = true
			}
		}
	}
	named := 0
	for _, word := range regexp.MustCompile("`([^` ]+)`").FindAllStringSubmatch(string(text), -1) {
		if _, ok := keymap.ParseKey(word[1]); !ok {
			continue
		}
		if named++; !bound[word[1]] {
			t.Errorf("a page names the key %s, which does nothing", word[1])
		}
	}
	if named < 60 {
		t.Errorf("the pages name %d keys only", named)
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
		msg, _ := keymap.ParseKey("alt+t")
		model, _ = model.Update(msg)
	}
	if len(seen) != len(themes.Names()) {
		t.Errorf("%d themes look like %d", len(themes.Names()), len(seen))
	}
}
