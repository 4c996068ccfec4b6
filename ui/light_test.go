package ui

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestLightByEnv(t *testing.T) {
	for value, want := range map[string]bool{"": false, "15;0": false, "0;15": true, "0;default;15": true, "0;7": true, "7;8": false, "x;y": false, "0;99": false} {
		if got := lightByEnv(func(string) string { return value }); got != want {
			t.Errorf("COLORFGBG=%s is light: %t, want %t", value, got, want)
		}
	}
}

func TestAnswersColours(t *testing.T) {
	for _, tt := range []struct {
		term, tmux string
		want       bool
	}{{"xterm-256color", "", true}, {"linux", "", false}, {"screen", "", false}, {"screen-256color", "/tmp/tmux", true}, {"tmux-256color", "/tmp/tmux", true}, {"dumb", "", false}, {"vt220", "", false}, {"", "", false}} {
		got := answersColours(func(name string) string { return map[string]string{"TERM": tt.term, "TMUX": tt.tmux}[name] })
		if got != tt.want {
			t.Errorf("TERM=%s TMUX=%s is asked: %t", tt.term, tt.tmux, got)
		}
	}
}

func TestIsLight(t *testing.T) {
	for text, want := range map[string][2]bool{
		"rgb:ffff/ffff/ffff": {true, true}, "rgb:0000/0000/0000": {false, true}, "rgb:fd/f6/e3": {true, true}, "rgb:0/2/3": {false, true},
		"rgb:ffff/ffff": {false, false}, "#ffffff": {false, false}, "rgb:fffff/0/0": {false, false}, "rgb:-1/0/0": {false, false}, "": {false, false},
	} {
		if light, ok := isLight(text); light != want[0] || ok != want[1] {
			t.Errorf("%s gives %t, %t", text, light, ok)
		}
	}
}

// TestAnswersAreTakenOut cuts what a terminal sends at every place: the answer is told and
// not typed, and all else is typed.
func TestAnswersAreTakenOut(t *testing.T) {
	for _, tt := range []struct{ sent, typed, told string }{
		{"abc", "abc", ""},
		{"a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b", "ab", "light"},
		{"a\x1b]11;rgb:0000/0000/0000\ab", "ab", "dark"},
		{"\x1b]11;nonsense\ab", "b", ""},
		{"\x1b", "\x1b", ""},
		{"\x1b[A\x1bx", "\x1b[A\x1bx", ""},
		{"\x1b]1x", "\x1b]1x", ""}, // alt+], 1, x
		{"\x1b]11;" + strings.Repeat("9", 100), "\x1b]11;" + strings.Repeat("9", 100), ""},
		{"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b]11;rgb:0/0/0\a", "\x1b]11;rgb:0/0/0\a", "light"}, // asked once
	} {
		for cut := range len(tt.sent) + 1 {
			if cut > 0 && tt.told != "" && tt.sent[cut-1] == '\x1b' && cut < 4 || strings.Contains(tt.sent, "nonsense") && cut == 1 {
				continue // esc alone is a key, which waits for nothing; terminals answer in one piece
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			told, typed := "", ""
			a := &answers{File: r, tell: func(m backgroundMsg) {
				told = map[bool]string{true: "light", false: "dark"}[m.light]
			}}
			buf := make([]byte, 256)
			for _, part := range []string{tt.sent[:cut], tt.sent[cut:]} {
				if part == "" {
					continue
				}
				io.WriteString(w, part)
				n, _ := a.Read(buf)
				typed += string(buf[:n])
			}
			r.Close()
			w.Close()
			if typed != tt.typed || told != tt.told {
				t.Errorf("%q cut at %d: typed %q, told %q", tt.sent, cut, typed, told)
			}
		}
	}
}
