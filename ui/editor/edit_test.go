package editor

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestKeys(t *testing.T) {
	for _, tt := range []struct{ name, before, keys, after string }{
		{"type", "a|c", "'b'", "ab|c"},
		{"type over a selection", "a|bb|c", "'x'", "ax|c"},
		{"left and right", "漢|字", "left left right", "漢|字"},
		{"left over a line end", "a\n|b", "left", "a|\nb"},
		{"left out of a selection", "a|bc|d", "left", "a|bcd"},
		{"right out of a selection", "a|bc|d", "right", "abc|d"},
		{"combining marks are one character", "e\u0301|x", "left", "|e\u0301x"},
		{"down keeps the column", "abcdef|\nab\nabcdefgh", "down down", "abcdef\nab\nabcdef|gh"},
		{"down by columns, not bytes", "漢字|\nabcdef", "down", "漢字\nabcd|ef"},
		{"down over a tab", "abcdefghi|\n\tx", "down", "abcdefghi\n\tx|"},
		{"up in the first line goes to its start", "ab|c\nd", "up", "|abc\nd"},
		{"down in the last line goes to its end", "a\nb|cd", "down", "a\nbcd|"},
		{"home goes to the text, then to the start", "\tab|c", "home", "\t|abc"},
		{"home twice", "\tab|c", "home home", "|\tabc"},
		{"end", "ab|c\nd", "end", "abc|\nd"},
		{"words", "self->ts| = timestamp;", "ctrl+left ctrl+left", "self|->ts = timestamp;"},
		{"word right", "|self->ts", "ctrl+right ctrl+right", "self->|ts"},
		{"select", "a|bcd", "shift+right shift+right", "a|bc|d"},
		{"select to the end of the text", "a|b\nc", "ctrl+shift+end", "a|b\nc|"},
		{"select all", "a|b\nc", "ctrl+a", "|ab\nc|"},
		{"esc drops the selection", "a|b|c", "esc", "ab|c"},
		{"backspace", "ab|c", "backspace", "a|c"},
		{"backspace joins lines", "a\n|b", "backspace", "a|b"},
		{"backspace joins DOS lines", "a\r\n|b\r\n", "backspace", "a|b\r\n"},
		{"backspace takes the whole character", "xe\u0301|", "backspace", "x|"},
		{"backspace at the start", "|a", "backspace", "|a"},
		{"delete", "a|bc", "delete", "a|c"},
		{"delete a selection", "a|bc|d", "delete", "a|d"},
		{"delete at the end", "a|", "delete", "a|"},
		{"delete a word back", "one two|", "ctrl+w", "one |"},
		{"delete a word on", "|one two", "alt+d", "|two"},
		{"delete to the start", "\tab|c", "ctrl+u", "|c"},
		{"delete a line", "a\nb|b\nc", "ctrl+k", "a\n|c"},
		{"delete the last line", "a\nb|b", "ctrl+k", "|a"},
		{"delete the only line", "a|b", "ctrl+k", "|"},
		{"newline keeps the indentation", "\tab|", "enter 'c'", "\tab\n\tc|"},
		{"newline goes deeper after a brace", "x {|", "enter 'y'", "x {\n\ty|"},
		{"newline between braces makes room", "x {|}", "enter 'y'", "x {\n\ty|\n}"},
		{"newline leaves no blanks", "\tx\n\t|", "enter", "\tx\n\n\t|"},
		{"newline as the script has it", "a|\r\nb", "enter", "a\r\n|\r\nb"},
		{"closing brace goes under its line", "BEGIN\n{\n\tx = 1;\n\t|", "'}'", "BEGIN\n{\n\tx = 1;\n}|"},
		{"closing brace of an inner block", "BEGIN {\n\tif (a) {\n\t\tb;\n\t\t|", "'}'", "BEGIN {\n\tif (a) {\n\t\tb;\n\t}|"},
		{"closing brace behind text stays", "x { y |", "'}'", "x { y }|"},
		{"tab", "a|b", "tab", "a\t|b"},
		{"tab indents the lines of a selection", "|a\n\nb|", "tab", "|\ta\n\n\tb|"},
		{"shift+tab", "|\ta\n        b\n c|", "shift+tab", "|a\nb\nc|"},
		{"comment", "\ta|;", "ctrl+_", "\t// a|;"},
		{"comment several lines", "|\ta;\n\n\t\tb;|", "ctrl+_", "|\t// a;\n\n\t// \tb;|"},
		{"uncomment", "|\t// a;\n\t//b;|", "ctrl+_", "|\ta;\n\tb;|"},
		{"move a line down", "a|a\nb\n", "alt+down", "b\na|a\n"},
		{"move a line up", "a\nb|b", "alt+up", "b|b\na"},
		{"cut and paste", "a|bc|d", "ctrl+x end ctrl+v", "adbc|"},
		{"cut a line", "a|b\nc", "ctrl+x ctrl+v", "ab\n|c"},
		{"copy and paste", "|ab|", "ctrl+c end ctrl+v", "abab|"},
		{"undo", "|", "'ab cd' ctrl+z", "ab |"},
		{"undo and redo", "|", "'ab cd' ctrl+z ctrl+z ctrl+y", "ab |"},
		{"undo gives the selection back", "a|bc|d", "'x' ctrl+z", "a|bc|d"},
		{"moving ends a step", "|", "'ab' left 'c' ctrl+z", "a|b"},
		{"go to a bracket", "f|(a(b)c)", "ctrl+]", "f(a(b)c|)"},
		{"go to a line", "|a\nb\n\tc", "ctrl+g '3:9' enter", "a\nb\n\t|c"},
		{"find", "|one two one", "ctrl+f 'one' enter", "|one| two one"},
		{"find the next", "|one two one", "ctrl+f 'one' down", "one two |one|"},
		{"find, then go on", "|one two one", "ctrl+f 'one' enter f3", "one two |one|"},
		{"find, then write", "|one two one", "ctrl+f 'one' enter '1'", "1| two one"},
		{"find goes around", "one two |one", "ctrl+f 'one' down", "|one| two one"},
		{"find backwards", "|x one x", "ctrl+f 'x' up", "x one |x|"},
		{"find folds case", "|ABC abc", "ctrl+f 'abc' down", "ABC |abc|"},
		{"a capital counts", "|abc Abc", "ctrl+f 'Abc' esc", "abc |Abc|"},
		{"next place", "|a b a b", "ctrl+f 'b' esc f3", "a b a |b|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.before)
			if got := r.press(tt.keys).state(); got != tt.after {
				t.Errorf("%q, then %s, gives\n%q, want\n%q", tt.before, tt.keys, got, tt.after)
			}
		})
	}
}

// TestHelpIsComplete holds the table to what bubbletea can send, so that help
// promises no key that does not exist.
func TestHelpIsComplete(t *testing.T) {
	r := newRig(t, "")
	seen := map[string]bool{}
	for _, h := range r.m.Keys() {
		for _, name := range h.On {
			keyMsg(t, name)
			if seen[name] {
				t.Errorf("%s is in the table twice", name)
			}
			seen[name] = true
		}
	}
	if !seen["ctrl+s"] || !seen["left"] {
		t.Error("help lacks keys")
	}
}

func TestWhy(t *testing.T) {
	r := newRig(t, "a|")
	if r.press("ctrl+z"); r.m.Why() != "there is nothing to undo" {
		t.Errorf("why is %q", r.m.Why())
	}
	if r.press("'x' ctrl+z"); r.m.Why() != "" {
		t.Errorf("why is still %q", r.m.Why())
	}
}

func TestTakes(t *testing.T) {
	r := newRig(t, "a|b")
	for name, want := range map[string]bool{
		"x": true, "tab": true, "esc": false, "ctrl+c": false, "ctrl+r": false, "?": true, "f1": false, "alt+v": false, "ctrl+s": true,
	} {
		if got := r.m.Takes(keyMsg(t, name), false); got != want {
			t.Errorf("Takes(%s) = %v", name, got)
		}
	}
	r.press("shift+right")
	if !r.m.Takes(keyMsg(t, "ctrl+c"), false) || !r.m.Takes(keyMsg(t, "esc"), false) {
		t.Error("with a selection ctrl+c and esc are not wanted")
	}
	r.press("ctrl+c")
	if r.m.Takes(keyMsg(t, "ctrl+c"), false) {
		t.Error("a second ctrl+c does not leave")
	}
	r.press("ctrl+f")
	if !r.m.Takes(keyMsg(t, "esc"), false) || !r.m.Takes(keyMsg(t, "f1"), false) {
		t.Error("an open question lets keys through")
	}
}

func TestPaste(t *testing.T) {
	r := newRig(t, "\tx {|\r\n")
	r.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\rb}\r\nc"), Paste: true})
	if got, want := r.state(), "\tx {a\r\nb}\r\nc|\r\n"; got != want {
		t.Errorf("pasting gives %q, want %q", got, want)
	}
	r.press("ctrl+z")
	if got, want := r.state(), "\tx {|\r\n"; got != want {
		t.Errorf("one undo of a paste gives %q, want %q", got, want)
	}
}

func TestClipboard(t *testing.T) {
	var out strings.Builder
	r := newRig(t, "a |read| b")
	r.m.opts.Clipboard = &out
	t.Setenv("TMUX", "")
	r.press("ctrl+c")
	if out.String() != "\x1b]52;c;cmVhZA==\x07" {
		t.Errorf("the terminal gets %q", out.String())
	}
}

func TestChanged(t *testing.T) {
	r := newRig(t, "|")
	r.press("'ab' left")
	if len(r.sent) < 2 {
		t.Fatalf("two letters send %v", r.sent)
	}
	last := -1
	n := 0
	for _, msg := range r.sent {
		if c, ok := msg.(ChangedMsg); ok {
			n++
			if c.Version <= last {
				t.Errorf("version %d follows %d", c.Version, last)
			}
			last = c.Version
			if want := "ab"[:n]; c.Text != want {
				t.Errorf("change %d is to %q", n, c.Text)
			}
		}
	}
	if n != 2 || last != r.m.doc.Buf.Version() {
		t.Errorf("%d changes up to version %d are sent; it is %d", n, last, r.m.doc.Buf.Version())
	}
	r.sent = nil
	r.run(r.m.SetText("ab"))
	if len(r.sent) != 0 {
		t.Errorf("the same text again sends %v", r.sent)
	}
	r.run(r.m.Insert("!"))
	if r.m.doc.Text() != "a!b" || len(r.sent) != 1 {
		t.Errorf("Insert gives %q and sends %v", r.m.doc.Text(), r.sent)
	}
}

func TestInsertClause(t *testing.T) {
	for _, tt := range []struct{ name, before, clause, after string }{
		{"empty", "|", "syscall::read:entry", "syscall::read:entry\n{\n\t|\n}\n"},
		{"behind the clause of the cursor", "BEGIN\n{\n\tx| = 1;\n}\nEND { y }\n", "a:b:c:d", "BEGIN\n{\n\tx = 1;\n}\n\na:b:c:d\n{\n\t|\n}\n\nEND { y }\n"},
		{"behind its comment", "BEGIN { x|; } // why\n", "tick-1s", "BEGIN { x; } // why\n\ntick-1s\n{\n\t|\n}\n"},
		{"between clauses", "BEGIN { x }\n\n|\n\nEND { y }\n", "tick-1s", "BEGIN { x }\n\ntick-1s\n{\n\t|\n}\n\nEND { y }\n"},
		{"behind a pragma", "#pragma D option quiet|\n", "BEGIN", "#pragma D option quiet\n\nBEGIN\n{\n\t|\n}\n"},
		{"no newline at the end", "BEGIN { x }|", "END", "BEGIN { x }\n\nEND\n{\n\t|\n}\n"},
		{"a whole clause", "|", "BEGIN\n{\n\ttrace(1);\n}", "BEGIN\n{\n\t|trace(1);\n}\n"},
		{"DOS lines", "BEGIN { x|; }\r\n", "END", "BEGIN { x; }\r\n\r\nEND\r\n{\r\n\t|\r\n}\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.before)
			r.run(r.m.InsertClause(tt.clause))
			if got := r.state(); got != tt.after {
				t.Errorf("%q takes the clause as\n%q, want\n%q", tt.before, got, tt.after)
			}
			if len(r.sent) != 1 {
				t.Errorf("it sends %v", r.sent)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	r := newRig(t, "|")
	big := strings.Repeat("x", 6<<20)
	r.run(r.m.Insert(big))
	r.run(r.m.Insert(big))
	if len(r.m.doc.Text()) != len(big) || !strings.Contains(r.m.notice, "10 MB") {
		t.Errorf("the text has %d bytes; %q", len(r.m.doc.Text()), r.m.notice)
	}
}

// TestKeysSayWhy presses keys that are available and find nothing to do.
func TestKeysSayWhy(t *testing.T) {
	for keys, why := range map[string]string{
		"alt+up":   "there is no line to change places with",
		"alt+down": "there is no line to change places with",
		"ctrl+_":   "there is nothing to comment out",
	} {
		r := newRig(t, "|")
		if r.press(keys); r.m.Why() != why {
			t.Errorf("%s on an empty script says %q, want %q", keys, r.m.Why(), why)
		}
	}
}

// A change of each of many lines takes time by their number and not by its square, and is
// undone as one.
func TestCommentManyLines(t *testing.T) {
	for _, lines := range []int{manyEdits - 1, manyEdits + 2, 200_000} {
		body := strings.Repeat("\tx = 1;\n", lines)
		r := newRig(t, "|"+body+"|")
		r.press("ctrl+_")
		if want := "|" + strings.Repeat("\t// x = 1;\n", lines) + "|"; r.state() != want {
			t.Errorf("%d lines: not what was wanted, %d bytes of %d", lines, len(r.state()), len(want))
		}
		if r.press("ctrl+_"); r.m.doc.Text() != body {
			t.Errorf("%d lines: they do not come back", lines)
		}
		if r.press("ctrl+z"); !strings.HasPrefix(r.m.doc.Text(), "\t// x") {
			t.Errorf("%d lines: one step of undo gives %.20q", lines, r.m.doc.Text())
		}
	}
}

// TestReplacedIsSaid presses ctrl+a as the hands of a shell do and types on: it is said how the
// script comes back, for long enough to be seen, and no longer once it has.
func TestReplacedIsSaid(t *testing.T) {
	r := newRig(t, "BEGIN\n{\n|}\n")
	r.press("ctrl+a x y z")
	if !strings.HasPrefix(r.m.notice, "the whole script was replaced: ctrl+z") {
		t.Errorf("it says %q", r.m.notice)
	}
	r.press("ctrl+z ctrl+z")
	if got := r.m.doc.Text(); got != "BEGIN\n{\n}\n" {
		t.Errorf("undo gives %q", got)
	}
	if r.press("end"); r.m.notice != "" {
		t.Errorf("it still says %q", r.m.notice)
	}
	r = newRig(t, "one|")
	if r.press("ctrl+a x"); r.m.notice != "" {
		t.Errorf("of one line it says %q", r.m.notice)
	}
}
