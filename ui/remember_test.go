package ui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"dscope.dev/ui/config"
	"dscope.dev/ui/session"
)

// TestShapeIsRestored takes back what was dragged, and nothing of another form.
func TestShapeIsRestored(t *testing.T) {
	s := defaultShape
	l := arrange(s, 120, 40, editorSlot, liveSlot)
	dragged := l.drag(s, l.borders[0].edge, 50, 0).close(outputSlot, true).swap(120, liveSlot, editorSlot)
	saved := dragged.save()
	var back = defaultShape
	if !back.restore(saved) {
		t.Fatal("what was saved is not taken")
	}
	got, want := arrange(back, 120, 40, editorSlot, liveSlot), arrange(dragged, 120, 40, editorSlot, liveSlot)
	if got.body != want.body || got.body == l.body {
		t.Errorf("got %v, want %v", got.body, want.body)
	}
	allClosed := dragged
	for s := range slots {
		allClosed = allClosed.close(s, true)
	}
	other := dragged.close(browserSlot, true)
	twice := dragged.change(func(p *part) { p.leaves()[0].slot = p.leaves()[1].slot })
	for _, bad := range []session.Layout{
		allClosed.save(), twice.save(), {Usual: other.save().Usual, Wide: saved.Wide},
		{}, {Usual: []int{1, 2}, Wide: saved.Wide}, {Usual: append(slices.Clone(saved.Usual), 1), Wide: saved.Wide},
		changed(saved, 1, -5), changed(saved, 1, 5000), changed(saved, 3, 8), changed(saved, 3, -1),
	} {
		back := defaultShape
		if back.restore(bad) || arrange(back, 120, 40, editorSlot, liveSlot).body != l.body {
			t.Errorf("%v is taken", bad)
		}
	}
}

// changed returns a saved layout with another number at i.
func changed(l session.Layout, i, n int) session.Layout {
	l.Usual = slices.Clone(l.Usual)
	l.Usual[i] = n
	return l
}

// TestLayoutOfTheConfiguration sets what the panes take.
func TestLayoutOfTheConfiguration(t *testing.T) {
	c := config.Default()
	usual := shapeOf(c.Layout)
	if got, want := arrange(usual, 120, 40, editorSlot, liveSlot).body, arrange(defaultShape, 120, 40, editorSlot, liveSlot).body; got != want {
		t.Errorf("nothing said gives %v, want %v", got, want)
	}
	c.Layout.Probes, c.Layout.Script = 50, 60
	l := arrange(shapeOf(c.Layout), 120, 40, editorSlot, liveSlot)
	if l.body[browserSlot].w != 60 || l.body[editorSlot].h != 38*60/100-1 {
		t.Errorf("50%% of 120 columns and 60%% of 38 lines are %v", l.body)
	}
}

// TestRemembered holds that what is open is written soon after a key, the layout and the
// filters too; that a start without a file has it again; and that an error is told once.
func TestRemembered(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.d")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, _, err := session.Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{Path: path, Store: store})
		b.keys("down", "down", "right", "alt+.")
		b.model().live.SetFilter("n", "ssh !dd")
		b.wait(2 * rememberAfter)
		b.end()
	})
	store.Close()

	store, last, err := session.Open(filepath.Join(dir, "state"))
	if err != nil || len(last.Documents) != 1 || last.Documents[0] != (session.Document{Path: path, Line: 3, Column: 2}) || last.Filters["n"] != "ssh !dd" {
		t.Fatalf("%+v, %v", last, err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{Store: store, Last: last})
		b.shows("three", "open as last time: a.d; alt+0 begins empty")
		m := b.model()
		if line, col := m.editor.Cursor(); line != 3 || col != 2 {
			t.Errorf("the cursor is at %d:%d", line, col)
		}
		if m.live.Filters()["n"] != "ssh !dd" || slices.Equal(m.shape.usual.save(nil), defaultShape.usual.save(nil)) {
			t.Error("filters or layout are lost")
		}
		b.keys("alt+0")
		b.shows("untitled")
		b.send(rememberedMsg{"session", errors.New("the disk is full")})
		b.shows("the disk is full")
		b.keys("down")
		b.send(rememberedMsg{"session", errors.New("the disk is full still")})
		if strings.Contains(b.view(), "full still") {
			t.Error("it is told twice")
		}
		b.send(rememberedMsg{"history", errors.New("the history is full")})
		b.shows("the history is full")
		b.end()
	})
	store.Close()

	synctest.Test(t, func(t *testing.T) { // whoever wants none
		c := config.Default()
		c.Session = false
		b := start(t, &fake{}, Options{Last: last, Config: &c, Wrong: []string{"c:1: thme: there is no such setting"}})
		b.shows("untitled", "c:1: thme: there is no such setting")
		b.end()
	})
}
