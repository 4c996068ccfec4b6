package editor

import (
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	for _, tt := range []struct{ name, script, keys, want, notice string }{
		{"one by one", "a b a b a", "ctrl+f 'a' tab 'x' enter down enter esc", "x b a b x", ""},
		{"all", "a b A b a", "ctrl+f 'a' tab 'x' alt+a", "x b x b x", "3 replaced"},
		{"all is one step", "a b a", "ctrl+f 'a' tab 'x' alt+a ctrl+z", "a b a", ""},
		{"with what has it", "a a", "ctrl+f 'a' tab 'aa' enter enter esc", "aa aa", ""},
		{"regexp", "arg0 arg1 arg", "ctrl+f alt+r 'arg([0-9])' tab 'args[$1]' alt+a", "args[0] args[1] arg", "2 replaced"},
		{"no regexp", "a.c abc", "ctrl+f 'a.c' tab 'x' alt+a", "x abc", "1 replaced"},
		{"bad regexp", "a", "ctrl+f alt+r 'a('", "a", "missing closing ): `(?i)a(`"},
		{"selected", "|foo| foo", "alt+x tab 'y' alt+a", "y y", "2 replaced"},
		{"typed over", "a b a b a", "ctrl+f 'a' tab 'x' enter esc ctrl+f 'b' tab 'y' alt+a", "x y a y a", "2 replaced"},
		{"typed on", "a ab a", "ctrl+f 'a' esc ctrl+f end 'b' tab 'x' alt+a", "a x a", "1 replaced"},
		{"none", "a", "ctrl+f 'z' tab 'x' alt+a", "a", "not found: z"},
		{"a dollar that stands for itself", "a", "ctrl+f 'a' tab '$1' alt+a", "$1", "1 replaced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.script).press(tt.keys)
			if got := r.m.doc.Text(); got != tt.want || tt.notice != "" && r.m.notice != tt.notice {
				t.Errorf("the script is %q, want %q; %q", got, tt.want, r.m.notice)
			}
		})
	}
}

// All of a text of a megabyte are replaced while one waits.
func TestReplaceMany(t *testing.T) {
	r := newRig(t, strings.Repeat("arg0 = 1;\n", 100_000))
	r.press("ctrl+f 'arg0' tab 'x' alt+a")
	if got := r.m.doc.Text(); got != strings.Repeat("x = 1;\n", 100_000) || r.m.notice != "100000 replaced" {
		t.Errorf("%q; the text begins %.40q", r.m.notice, got)
	}
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct{ name, script, want, notice string }{
		{"layout", "BEGIN{trace(|1);exit(0);}\n", "BEGIN\n{\n\ttrace(|1);\n\texit(0);\n}\n", ""},
		{"nothing to do", "BEGIN\n{\n\texit(0);|\n}\n", "BEGIN\n{\n\texit(0);|\n}\n", "it is laid out already"},
		{"mistakes", "BEGIN { exit(0) }\nEND { trace(; }|", "BEGIN { exit(0) }\nEND { trace(|; }", "not laid out: line 2: "},
		{"comments", "// c\nBEGIN{exit(0);| // x\n}\n", "// c\nBEGIN\n{\n\texit(0);| // x\n}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.script).press("alt+l")
			if got := r.state(); got != tt.want || !strings.HasPrefix(r.m.notice, tt.notice) {
				t.Errorf("the script is %q, want %q; %q", got, tt.want, r.m.notice)
			}
			if was := strings.ReplaceAll(tt.script, "|", ""); r.m.doc.Modified() && r.press("ctrl+z").m.doc.Text() != was {
				t.Errorf("undo gives %q", r.m.doc.Text())
			}
		})
	}
}
