package editor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document/text"
	"dscope.dev/ui/keymap"
)

// newVim returns a rig with the hands of Vim.
func newVim(t testing.TB, script string) *rig {
	r := newRig(t, script)
	keys, ok := keymap.Named("vim")
	if !ok {
		t.Fatal("no keys are called vim")
	}
	r.m.SetKeys(keys)
	return r
}

// TestVim presses what goes through hands and pane.
func TestVim(t *testing.T) {
	for _, tt := range []struct{ name, before, keys, after string }{
		{"letters are commands", "|one two", "'dw'", "|two"},
		{"insert and back", "|x", "'ia' esc", "|ax"},
		{"one step of undo", "|x", "'ia b c' enter 'd' esc 'u'", "|x"},
		{"redo", "|x", "'ia b' esc 'u' ctrl+r", "|a bx"},
		{"the pane indents", "BEGIN|", "'o{' enter 'x = 1;' enter '}' esc", "BEGIN\n{\n\tx = 1;\n|}\n"},
		{"again with its indentation", "|a {\nb {\n", "'ox' esc 'j.'", "a {\n\tx\nb {\n\t|x\n"},
		{"again what a completion typed", "|\n\n", "'iprintf' esc 'j.'", "printf\nprint|f\n"},
		{"arrows in insert mode part a change", "|abc", "'ix' right 'y' esc 'u'", "xa|bc"},
		{"word before in insert mode", "|\n", "'aone two' ctrl+w esc", "one| \n"},
		{"command line", "|a\nb\n", "':2' enter", "a\n|b\n"},
		{"replaced", "|a a\n", "':s/a/b/g' enter", "|b b\n"},
		{"esc gives the line up", "|a\nb\n", "':2' esc", "|a\nb\n"},
		{"backspace gives the line up", "|a\nb\n", "':' backspace 'j'", "a\n|b\n"},
		{"found", "|one two\n", "'/tw' enter 'x'", "one |wo\n"},
		{"up to what is found", "|one two\n", "'d/tw' enter", "|two\n"},
		{"selected", "|abc\n", "'vlx'", "|c\n"},
		{"lines up to the last", "|a\nb\n", "'Vjd'", "|"},
		{"clipboard", "|ab\n", "'\"+yl$\"+p'", "ab|a\n"},
		{"from the pane's clipboard", "|ab|\n", "alt+c '\"+P'", "aa|bb\n"},
		{"mark moves along", "|a\nb\n", "'jmakOx' esc '`a'", "x\na\n|b\n"},
		{"macro with a question", "|a a\na a\na a\n", "'qq:s/a/b/' enter 'jq@q'", "b a\nb a\n|a a\n"},
		{"macro ends with the text", "|a\nb\nc\n", "'qqA;' esc 'jq9@q'", "a;\nb;\nc|;\n"},
		{"macro twice", "|abcdef\n", "'qqxq@q@@'", "|def\n"},
		{"indented as D is", "BEGIN\n{\n|x = 1;\n}\n", "'=='", "BEGIN\n{\n\t|x = 1;\n}\n"},
		{"selected with shift in insert mode", "|abc\n", "'i' shift+right shift+right 'x' esc", "|xc\n"},
		{"a column is kept in insert mode", "ab|c\n\nabc\n", "'i' down down 'x' esc", "abc\n\nab|xc\n"},
		{"again after a selection", "|abcdef\n", "'vldix' esc 'l.'", "x|xcdef\n"},
		{"ctrl+a costs nothing", "|abc\n", "ctrl+a 'x'", "|bc\n"},
		{"the pane's own keys", "|a\nb\n", "alt+down", "b\n|a\n"},
		{"declaration", "BEGIN { self->t = 1; }\nEND { trace(self->|t); }", "'gd'", "BEGIN { self->|t = 1; }\nEND { trace(self->t); }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newVim(t, tt.before).press(tt.keys).state(); got != tt.after {
				t.Errorf("%s in %q gives %q, want %q", tt.keys, tt.before, got, tt.after)
			}
		})
	}
}

// TestVimLettersAtOnce has letters that come in one message be commands each.
func TestVimLettersAtOnce(t *testing.T) {
	r := newVim(t, "|one two\n")
	r.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("wcwx y")})
	if got := r.state(); got != "one x y|\n" {
		t.Errorf("the script is %q", got)
	}
}

// TestVimTitle has the pane show the mode, and keys that make no command yet.
func TestVimTitle(t *testing.T) {
	r := newVim(t, "|one two\n")
	for _, tt := range []struct{ keys, want string }{
		{"", "NORMAL"}, {"'2d'", "NORMAL 2d"}, {"esc", "NORMAL"}, {"'i'", "INSERT"}, {"esc 'v'", "VISUAL"},
		{"'V'", "V-LINE"}, {"esc 'R'", "REPLACE"}, {"esc 'qa'", "NORMAL recording @a"}, {"'q'", "NORMAL"},
	} {
		if r.press(tt.keys); !strings.HasSuffix(r.m.Title(), "  "+tt.want) {
			t.Errorf("after %s the title is %q, want %q", tt.keys, r.m.Title(), tt.want)
		}
	}
	if plain := newRig(t, ""); strings.Contains(plain.m.Title(), "NORMAL") {
		t.Errorf("without modes the title is %q", plain.m.Title())
	}
}

// TestVimEsc has esc go to the workbench only where it gives up nothing here.
func TestVimEsc(t *testing.T) {
	r := newVim(t, "|one one\n")
	for _, tt := range []struct {
		keys string
		want bool
	}{
		{"", false}, {"'i'", true}, {"esc", false}, {"'v'", true}, {"esc 'd'", true}, {"esc", false}, {"'*'", true}, {"esc", false},
	} {
		if got := r.press(tt.keys).m.Takes(keyMsg(t, "esc"), true); got != tt.want {
			t.Errorf("after %q the pane takes esc: %v", tt.keys, got)
		}
	}
	for _, key := range []string{"?", "q", "/", "tab", "ctrl+r", "ctrl+d"} { // the workbench has them elsewhere
		if !r.m.Takes(keyMsg(t, key), true) {
			t.Errorf("the pane leaves %s to the workbench", key)
		}
	}
	for _, key := range []string{"f5", "ctrl+p", "alt+1", "f1"} {
		if r.m.Takes(keyMsg(t, key), true) {
			t.Errorf("the pane takes %s from the workbench", key)
		}
	}
}

// TestVimCompletion completes in insert mode; esc closes the list and goes back to normal mode at
// once.
func TestVimCompletion(t *testing.T) {
	r := newVim(t, "BEGIN { |\n")
	r.press("'aex'")
	r.answer()
	if r.press("tab esc"); r.state() != "BEGIN { execnam|e\n" {
		t.Errorf("the script is %q", r.state())
	}
	r.press("'a ex'")
	r.answer()
	if !r.m.comp.open {
		t.Fatal("no list of completions")
	}
	if r.press("esc"); r.m.comp.open || r.m.hands.Typing() {
		t.Errorf("esc leaves the list open: %v, or typing: %v", r.m.comp.open, r.m.hands.Typing())
	}
	if r.press("'uu'"); r.state() != "BEGIN {| \n" && r.state() != "BEGIN { |\n" {
		t.Errorf("undone the script is %q", r.state())
	}
}

// TestVimComplaint goes from one complaint to the next.
func TestVimComplaint(t *testing.T) {
	r := newVim(t, "|BEGIN\n{\n\tfoo = bar;\n}\n")
	r.m.SetDiagnostics(r.m.doc.Ref(), complain(r.m.doc.Text(), "foo", "bar"))
	if r.press("']d'"); r.message() != "nothing is called foo [D_IDENT_UNDEF]" || r.state() != "BEGIN\n{\n\t|foo = bar;\n}\n" {
		t.Errorf("%q in %q", r.message(), r.state())
	}
	if r.press("'cwx' esc ']d'"); r.state() != "BEGIN\n{\n\tx = |bar;\n}\n" {
		t.Errorf("the script is %q", r.state())
	}
}

// TestVimPaste pastes what the terminal brings, in any mode, as text.
func TestVimPaste(t *testing.T) {
	paste := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("dd\nx"), Paste: true}
	r := newVim(t, "a|b\n")
	if r.update(paste); r.state() != "add\nx|b\n" || r.m.hands.Typing() {
		t.Errorf("in normal mode the script is %q", r.state())
	}
	if r.press("'u'"); r.state() != "a|b\n" {
		t.Errorf("undone it is %q", r.state())
	}
	r.press("'i-'")
	r.update(paste)
	if r.press("'-' esc"); r.state() != "a-dd\nx|-b\n" {
		t.Errorf("in insert mode the script is %q", r.state())
	}
	if r.press("'u'"); r.m.doc.Text() != "ab\n" {
		t.Errorf("undone it is %q", r.state())
	}
}

// TestVimMouse selects with the mouse, and goes on with keys.
func TestVimMouse(t *testing.T) {
	r := newVim(t, "|one two\n")
	for _, msg := range twice(mouse(9, 0, tea.MouseActionPress, tea.MouseButtonLeft)) {
		r.update(msg)
	}
	if r.press("'d'"); r.state() != "one| \n" {
		t.Errorf("the script is %q", r.state())
	}
	r.press("'i'")
	r.update(mouse(5, 0, tea.MouseActionPress, tea.MouseButtonLeft))
	if r.press("'x' esc"); r.state() != "|xone \n" {
		t.Errorf("a click in insert mode gives %q", r.state())
	}
	r.update(mouse(40, 0, tea.MouseActionPress, tea.MouseButtonLeft))
	if r.press("'x'"); r.state() != "xone|\n" && r.state() != "xon|e\n" {
		t.Errorf("a click behind the line gives %q", r.state())
	}
}

// TestVimFiles writes, opens and leaves with the command line.
func TestVimFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.d"), filepath.Join(dir, "b.d")
	write(t, a, "BEGIN\n")
	write(t, b, "END\n")
	r := newVim(t, "")
	r.start("", a)
	asked := func() string {
		for _, msg := range slices.Backward(r.sent) {
			if ask, ok := msg.(AskMsg); ok {
				r.sent = nil
				return ask.Action
			}
		}
		return ""
	}
	if r.press("'x:q' enter"); asked() != "" || !strings.HasPrefix(r.m.notice, "not saved") {
		t.Errorf(":q with changes says %q", r.m.notice)
	}
	if r.press("':w' enter"); read1(t, a) != "EGIN\n" {
		t.Errorf(":w writes %q", read1(t, a))
	}
	if r.press("':w " + filepath.Join(dir, "c.d") + "' enter"); r.m.doc.Name() != "c.d" {
		t.Errorf(":w NAME leaves %s in front: %s", r.m.doc.Name(), r.m.notice)
	}
	if r.press("'majx:e " + b + "' enter"); r.m.doc.Name() != "b.d" || r.m.hands.Title() != "NORMAL" {
		t.Errorf(":e leaves %s in front: %s", r.m.doc.Name(), r.m.notice)
	}
	if r.press("'`a'"); r.m.notice != "there is no mark a" {
		t.Errorf("a mark of another script is here: %q", r.m.notice)
	}
	if r.press("'x:x' enter"); r.m.doc.Name() != "c.d" || read1(t, b) != "ND\n" {
		t.Errorf(":x leaves %s in front, and b.d holds %q", r.m.doc.Name(), read1(t, b))
	}
	if r.press("':e " + b + "' enter 'x:q!' enter"); r.m.doc.Name() != "c.d" || read1(t, b) != "ND\n" {
		t.Errorf(":q! leaves %s in front, and b.d holds %q", r.m.doc.Name(), read1(t, b))
	}
	if r.press("'u:q' enter"); asked() != "quit" {
		t.Errorf(":q of the last script does not leave: %s", r.m.notice)
	}
	if r.press("':nonsense' enter"); !strings.HasPrefix(r.m.notice, "no command is called nonsense") {
		t.Errorf("nonsense says %q", r.m.notice)
	}
	if r.press("':qa' enter"); asked() != "quit" {
		t.Error(":qa does not ask to leave")
	}
	if _, err := os.Stat(filepath.Join(dir, "c.d")); err != nil {
		t.Error(err)
	}
}

// TestVimCursor draws the cursor on the last character of a selection, as Vim does.
func TestVimCursor(t *testing.T) {
	r := newVim(t, "|one\ntwo\n")
	if r.press("'vl'"); r.m.doc.Sel != (text.Sel{Anchor: 0, Head: 2}) {
		t.Errorf("selected is %v", r.m.doc.Sel)
	}
	if line, col := r.m.Cursor(); line != 1 || col != 2 {
		t.Errorf("the cursor is at %d:%d", line, col)
	}
	if r.press("'V'"); r.m.doc.Sel != (text.Sel{Anchor: 0, Head: 4}) {
		t.Errorf("selected is %v", r.m.doc.Sel)
	}
	if line, col := r.m.Cursor(); line != 1 || col != 2 {
		t.Errorf("the cursor is at %d:%d", line, col)
	}
}
