package complete

import (
	"strings"
	"testing"

	"dscope.dev/cmd/dscope/usage"
)

// program and commands are a program with little to say.
var (
	program = usage.Command{Words: usage.Script, Flags: []usage.Flag{{Name: "-p", Arg: "PID", Takes: usage.Process}}}

	commands = []usage.Command{
		{Name: "trace", Brief: "trace", Words: usage.File, Flags: []usage.Flag{
			{Name: "-q", Help: "quietly"}, {Name: "-n", Arg: "probe", Takes: usage.Probe}, {Name: "-s", Arg: "script", Takes: usage.Script},
			{Name: "-x", Arg: "opt", Takes: usage.Option}, {Name: "-p", Arg: "pid", Takes: usage.Process}, {Name: "-B", Hidden: true}}},
		{Name: "check", Words: usage.Script, Flags: []usage.Flag{{Name: "-json"}, {Name: "-n", Arg: "x", Takes: usage.Probe}}},
		{Name: "watch", Words: usage.Program, Flags: []usage.Flag{{Name: "-A"}}},
	}
)

// a fakeSource offers the same whatever was typed.
type fakeSource struct{}

func (fakeSource) Candidates(k usage.Kind, typed, process string) []Word {
	switch k {
	case usage.Probe:
		return []Word{{Text: "syscall:", Open: true}, {Text: "BEGIN"}, {Text: "of" + process}}
	case usage.Option:
		return []Word{{Text: "quiet", Help: "say\nnothing"}}
	case usage.Process:
		return []Word{{Text: "12", Help: strings.Repeat("long ", 30)}}
	}
	return nil
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ words, want string }{
		{"", "scripts trace check watch"},
		{"tr", "scripts trace"},
		{"-", "nothing -p --help"},
		{"-p|", "nothing 12"},
		{"trace|-", "nothing -q -n -s -x -p --help"},
		{"trace|-q", "nothing -q"},
		{"trace|-n|", "more syscall: BEGIN of"},
		{"trace|-n|sy", "more syscall:"},
		{"trace|-n|B", "nothing BEGIN"},
		{"trace|-qn|B", "nothing BEGIN"},
		{"trace|-qnB", "nothing -qnBEGIN"},
		{"trace|-p|12|-n|of", "nothing of12"},
		{"trace|-p12|-n|of", "nothing of12"},
		{"trace|-xq", "nothing -xquiet"},
		{"trace|-s|", "scripts"},
		{"trace|-q|", "files"},
		{"trace|--|-", "files"},
		{"trace|-n|--|-", "nothing -q -n -s -x -p --help"}, // -- is what -n takes
		{"check|-js", "nothing -json"},
		{"check|-json|", "scripts"},
		{"watch|", "programs"},
		{"watch|-A|", "programs"},
		{"watch|-A|ls|-", "files"},
		{"nothing|", "scripts"},
	} {
		a := Line(program, commands, strings.Split(tt.words, "|"), fakeSource{})
		got := a.Then
		if got == "" {
			got = "nothing"
		}
		for _, w := range a.Words {
			got += " " + w.Text
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.words, got, tt.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	a := Line(program, commands, []string{"trace", "-x", "q"}, fakeSource{})
	if got, want := a.Text(), "nothing\nquiet\tsay nothing\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a = Line(program, commands, []string{"trace", "-p", ""}, fakeSource{})
	if got := a.Text(); !strings.HasSuffix(got, "…\n") || len(got) > 100 {
		t.Errorf("got %q", got)
	}
}

func TestBash(t *testing.T) {
	const breaks = " \t\n\"'><=;|&(:"
	for _, tt := range []struct{ line, words, keeps string }{
		{"dscope", "dscope", ""},
		{"dscope ", "dscope|", ""},
		{"dscope  trace -q", "dscope|trace|-q", ""},
		{"dscope trace -n syscall::re", "dscope|trace|-n|syscall::re", "syscall::"},
		{"dscope trace -n 'syscall::re", "dscope|trace|-n|syscall::re", ""},
		{"dscope trace -n 'a b' -x b=", "dscope|trace|-n|a b|-x|b=", "b="},
		{"dscope trace -n'sys", "dscope|trace|-nsys", "-n"},
		{`dscope trace -n "a\"b`, `dscope|trace|-n|a"b`, ""},
		{`dscope trace -n a\ b`, `dscope|trace|-n|a b`, ""},
		{`x; dscope tr`, `dscope|tr`, ""},
		{`dscope ''`, `dscope|`, ""},
		{``, ``, ""},
	} {
		got := Bash(tt.line, breaks)
		if words := strings.Join(got.Words, "|"); words != tt.words || got.keeps != tt.keeps {
			t.Errorf("%q: %q, keeps %q; want %q, %q", tt.line, words, got.keeps, tt.words, tt.keeps)
		}
	}
	a := Answer{Words: []Word{{Text: "pid$target:"}}}
	if got := Bash("dscope trace -n pid", breaks).Replies(a).Text(); got != "nothing\npid\\$target:\n" {
		t.Errorf("outside a quote: %q", got)
	}
	if got := Bash("dscope trace -n 'pid", breaks).Replies(a).Text(); got != "nothing\npid$target:\n" {
		t.Errorf("in a quote: %q", got)
	}
}

// FuzzBash: whatever is typed has words, of which bash keeps what the last begins with.
func FuzzBash(f *testing.F) {
	for _, seed := range []string{"dscope tr", "dscope trace -n 'a:b", `a\`, `"'`, "a;b", "\\\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got := Bash(line, " \t\n\"'><=;|&(:")
		if len(got.Words) == 0 || !strings.HasPrefix(got.Words[len(got.Words)-1], got.keeps) {
			t.Errorf("%q: %q keeps %q", line, got.Words, got.keeps)
		}
	})
}

// TestScripts: each shell has one, and no other.
func TestScripts(t *testing.T) {
	for _, name := range Shells {
		if text, ok := Script(name); !ok || !strings.Contains(text, "completion --words "+name) {
			t.Errorf("the script for %s: %t", name, ok)
		}
	}
	if _, ok := Script("csh"); ok {
		t.Error("there is a script for csh")
	}
}
