package vim

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// TestAnyKeys presses what nobody would: the cursor stays in the text, and undo leads back to
// where all began.
func TestAnyKeys(t *testing.T) {
	keys := strings.Split(`abcdefghijklmnopqrstuvwxyzABCDEGHIJKLNOPQRSTUVWXYZ0123456789$^%{}()[]<>=~.,;:/?*#'"+-@|&!é`, "")
	for range 40 {
		keys = append(keys, "esc", "d", "c", "v", "V")
	}
	keys = append(keys, "enter", "backspace", "ctrl+r", "ctrl+d", "ctrl+u", "ctrl+f", "ctrl+b", "ctrl+w", "ctrl+c", "tab", "space", "delete", "up", "down")
	r := rand.New(rand.NewSource(1))
	for range 1500 {
		script := scripts[r.Intn(len(scripts))]
		if r.Intn(4) == 0 {
			script = strings.ReplaceAll(script, "\n", "\r\n")
		}
		d := newDesk(t, script)
		var pressed []string
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%q in %q: %v", pressed, script, p)
				}
			}()
			for range 40 {
				key := keys[r.Intn(len(keys))]
				pressed = append(pressed, key)
				d.key(key)
				if at := d.m.Cursor(d.sel); at < 0 || at > d.buf.Size() || d.sel.Head > d.buf.Size() || d.sel.Anchor > d.buf.Size() {
					t.Fatalf("%q in %q: the cursor is at %d of %d, selected is %v", pressed, script, at, d.buf.Size(), d.sel)
				}
				d.played, d.into = nil, 0
				d.m.recording = 0
			}
		}()
		d.prompt = ""
		d.key("esc")
		d.key("esc")
		now := d.buf.Text()
		for d.buf.CanUndo() {
			d.buf.Undo()
		}
		if d.buf.Text() != script {
			t.Fatalf("%q in %q: undone it is %q", pressed, script, d.buf.Text())
		}
		for d.buf.CanRedo() {
			d.buf.Redo()
		}
		if d.buf.Text() != now && !slices.Contains(pressed, "u") {
			t.Fatalf("%q in %q: redone it is %q, not %q", pressed, script, d.buf.Text(), now)
		}
	}
}
