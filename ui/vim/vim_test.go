package vim

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dscope.dev/ui/keymap"
)

// TestCommands presses keys where no Neovim is at hand; nvim_test.go has the many.
func TestCommands(t *testing.T) {
	for _, tt := range []struct{ from, keys, to string }{
		{"|one two\n", "dw", "|two\n"},
		{"|one two three\n", "d2w", "|three\n"},
		{"|one two three\n", "2dw", "|three\n"},
		{"one |two three\n", "cwx<Esc>", "one |x three\n"},
		{"one |two three\n", "cwx<Esc>w.", "one x |x\n"},
		{"f(a, |b)\n", "ci(x<Esc>", "f(|x)\n"},
		{"f(a, |b)\n", "da(", "|f\n"},
		{`p("a|b", x)`, `ci"q<Esc>`, `p("|q", x)`},
		{"{\n\tx|;\n\ty;\n}\n", "di{", "{\n|}\n"},
		{"a|b\n", "yyp", "ab\n|ab\n"},
		{"a|b", "yyp", "ab\n|ab"},
		{"|a\nb\nc\n", "Vjd", "|c\n"},
		{"|a\nb\nc\n", ">j", "\t|a\n\tb\nc\n"},
		{"a|b", "ox<Esc>", "ab\n|x\n"},
		{"a|b", "A<CR>x<Esc>", "ab\n|x"},
		{"a|b", "A<CR><Esc>", "ab\n|\n"},
		{"a|b", "ox<Esc>.", "ab\nx\n|x\n"},
		{"|abc\n", "3~", "AB|C\n"},
		{"|abc\n", "vlU", "|ABc\n"},
		{"|a\n", "3ixy<Esc>", "xyxyx|ya\n"},
		{"|a\nb\n", "A;<Esc>j.", "a;\nb|;\n"},
		{"|a a a\n", ":s/a/b/g<CR>", "|b b b\n"},
		{"|a\nb\n", `:%s/\(.\)/<\1>/<CR>`, "<a>\n|<b>\n"},
		{"|aXb\nc\n", `:s/X/\r/<CR>`, "a\n|b\nc\n"},
		{"|a\nb\nc\n", ":3<CR>", "a\nb\n|c\n"},
		{"|a\nb\nc\n", ":$<CR>''", "|a\nb\nc\n"},
		{"|one two one\n", "*", "one two |one\n"},
		{"|one two one\n", "/o<CR>n", "one two |one\n"},
		{"|one two one\n", "d/one<CR>", "|one\n"},
		{"|a\nb\nc\n", "maGd'a", "|"},
		{"|a\nb\nc\n", "jmakOx<Esc>'a", "x\na\n|b\nc\n"},
		{"|a\nb\nc\n", "qqA;<Esc>jq9@q", "a;\nb;\nc|;\n"},
		{"|a x\na x\n", "qq/x<CR>dwq@q", "a \na| \n"},
		{"|ab\n", `"ayl"bx"ap`, "b|a\n"},
		{"|ab cd\n", `yiww"_diwp`, "ab a|b\n"},
		{"|ab cd\n", "yiwwviwp", "ab a|b\n"},
		{"|ab\n", "iX<Esc>uu", "|ab\n"},
		{"|ab\n", "oX<Esc>u<C-r>", "|ab\nX\n"},
		{"|a\r\nb\r\n", "yyp", "a\r\n|a\r\nb\r\n"},
		{"|a\n", "Rxyz<Esc>", "xy|z\n"},
		{"|one two\n", "yiwA <C-r>\"<Esc>", "one two on|e\n"},
		{"|a\n\n\nb\n", "}", "a\n|\n\nb\n"},
		{"a (b [c|] d)\n", "va[d", "a (b | d)\n"},
		{"f(g(|xy))\n", "vi(i(d", "f(|)\n"},
		{"|héé x\n", "*wdb", "|x\n"},
	} {
		if got := newDesk(t, tt.from).press(tt.keys).state(); got != tt.to {
			t.Errorf("%s in %q gives %q, want %q", tt.keys, tt.from, got, tt.to)
		}
	}
}

// TestOneStep has all that a command and its stay in insert mode did be one step of undo.
func TestOneStep(t *testing.T) {
	for _, keys := range []string{"3dd", "2ofoo bar<Esc>", "cwfoo<CR>bar<Esc>", ":%s/e/X/g<CR>", "VGJ", "gUip", ">G", "Rfoo<Esc>", "3.", "vep"} {
		d := newDesk(t, "one |two\nthree\nfour\n").press("yiw")
		was := d.buf.Text()
		if d.press(keys).press("u"); d.buf.Text() != was {
			t.Errorf("%s and u give %q", keys, d.buf.Text())
		}
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct{ vim, want string }{
		{"a+(b)", `a\+\(b\)`},
		{`a\+\(b\|c\)\?`, "a+(b|c)?"},
		{`\va+(b|c)?`, "a+(b|c)?"},
		{`\V.*`, `\.\*`},
		{`\<ab\>`, `\bab\b`},
		{`*a`, `\*a`},
		{`a^b$c`, `a\^b\$c`},
		{`^a$`, "^a$"},
		{`[^(]\{2,3}x`, "[^(]{2,3}x"},
		{`ab\c`, "(?i)ab"},
		{"é.", "é."},
		{`\s\d`, `\s\d`},
	} {
		re, err := Pattern(tt.vim)
		if err != nil || re.String() != tt.want {
			t.Errorf("Pattern(%q) = %v, %v, want %q", tt.vim, re, err, tt.want)
		}
	}
	if _, err := Pattern(`\(`); err == nil {
		t.Error("an open group is a pattern")
	}
}

// TestHelp has the help tell of every key, and of no other.
func TestHelp(t *testing.T) {
	told := map[string]bool{"line": true, ".": true}
	for _, l := range Help() {
		for _, k := range strings.Fields(l.Keys) {
			told[k] = true
			if key := regexp.MustCompile("^(ctrl[+])?.").FindString(k); !isObject(k) {
				if m := (&Machine{}); !m.Wants(key) {
					t.Errorf("the help tells of %s, and it is not wanted", k)
				}
			}
		}
	}
	var names []string
	for name := range motions {
		names = append(names, name)
	}
	for name := range operators {
		names = append(names, name)
	}
	for name := range acts {
		names = append(names, name)
	}
	for name := range shorthands {
		names = append(names, name)
	}
	for _, name := range names {
		if !told[name] && !strings.HasPrefix(name, "ctrl+w") {
			t.Errorf("the help does not tell of %s", name)
		}
	}
}

// TestActions has everything that the hands ask the workbench for be an action of it.
func TestActions(t *testing.T) {
	d := newDesk(t, "a\n")
	d.m.enter(d, d.sel)
	for name, do := range acts {
		if name != "q" && name != "@" && name != "m" && name != "r" {
			do(&d.m, command{name: name})
			d.m.mode = Normal
		}
	}
	for _, c := range exCommands {
		c.do(&d.m, lineRange{}, "")
	}
	own := []string{"file.saveall", "file.savequit", "file.quit"} // the editor's, which have no key
	if len(d.done) < 20 {
		t.Fatalf("only %q were asked for", d.done)
	}
	for _, s := range d.done {
		if name := strings.Fields(s)[0]; !slices.Contains(keymap.Default().Actions(), name) && !slices.Contains(own, name) {
			t.Errorf("no action is called %s", name)
		}
	}
}

// TestWants has the workbench keep the keys that mean nothing here.
func TestWants(t *testing.T) {
	for _, tt := range []struct {
		keys, key string
		want      bool
	}{
		{"", "esc", false}, {"i", "esc", true}, {"v", "esc", true}, {"d", "esc", true},
		{"", "f5", false}, {"", "alt+1", false}, {"", "ctrl+p", false}, {"", "ctrl+r", true}, {"", "ctrl+d", true},
		{"i", "ctrl+w", false}, {"i", "a", false}, {"i", "ctrl+p", false}, {"i", "ctrl+r", true}, {"", "ü", true}, {"", "/", true},
	} {
		d := newDesk(t, "a\n")
		for _, key := range keysOf(tt.keys) {
			d.key(key)
		}
		if got := d.m.Wants(tt.key); got != tt.want {
			t.Errorf("after %q Wants(%s) = %v", tt.keys, tt.key, got)
		}
	}
}
