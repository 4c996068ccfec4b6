package filter

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	things := [][]string{{"sshd", "read"}, {"dd", "read"}, {"dd", "pread64"}, {"SSH-agent", "/usr/lib"}, {"a b", "x.y"}}
	for _, tt := range []struct{ text, want string }{
		{"", "sshd dd dd SSH-agent a b"},
		{"  ", "sshd dd dd SSH-agent a b"},
		{"ssh", "sshd SSH-agent"},
		{"SSH", "sshd SSH-agent"},
		{"dd read", "dd dd"},
		{"read dd 64", "dd"},
		{"!dd", "sshd SSH-agent a b"},
		{"!dd !usr", "sshd a b"},
		{"read !dd", "sshd"},
		{"!", "sshd dd dd SSH-agent a b"},
		{"~", "sshd dd dd SSH-agent a b"},
		{"!~", "sshd dd dd SSH-agent a b"},
		{"/^read$/", "sshd dd"},
		{"!/^read$/", "dd SSH-agent a b"},
		{"/^read$/ !/ssh/", "dd"},
		{"~^a b$", "a b"},
		{"~ssh|SSH", "sshd SSH-agent"},
		{"!~ssh|SSH", "dd dd a b"},
		{"/usr", "SSH-agent"},
		{"/usr/", "SSH-agent"}, // an expression now, which finds the same
		{".", "a b"},
		{"//", ""},
		{"nothing", ""},
	} {
		f, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
		var got []string
		for _, texts := range things {
			if f.Match(texts) {
				got = append(got, texts[0])
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q lets %q through, want %q", tt.text, strings.Join(got, " "), tt.want)
		}
		if f.String() != strings.TrimSpace(tt.text) {
			t.Errorf("%q became %q", tt.text, f.String())
		}
	}
}

func TestWrongExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"ok /(/":      "missing closing ) in (",
		"~a[":         "missing closing ] in [",
		"!~*":         "missing argument to repetition operator in *",
		"/(a\x1b[2J/": "missing closing ] in [2J",
	} {
		if f, err := Parse(text); err == nil || err.Error() != want || !f.Empty() {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
