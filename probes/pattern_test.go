package probes_test

import (
	"path"
	"strings"
	"testing"

	"dscope.dev/probes"
)

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"", "anything", true},
		{"", "", true},
		{"read", "read", true},
		{"read", "readv", false},
		{"read*", "readv", true},
		{"*", "", true},
		{"*read*", "pread64", true},
		{"*a*b*c", "xaxbxbxc", true},
		{"*a*b*c", "xaxbxbx", false},
		{"r?ad", "read", true},
		{"r?ad", "rad", false},
		{"[pr]ead", "read", true},
		{"[a-q]ead", "read", false},
		{"[!a-q]ead", "read", true},
		{"[^a-q]ead", "read", true},
		{"[]]", "]", true},
		{"[a-]", "-", true},
		{"[ab", "[ab", true}, // never closed: stands for itself
		{`\*`, "*", true},
		{`\*`, "x", false},
		{"tick-*", "tick-1s", true},
	}
	for _, tt := range tests {
		if got := probes.Glob(tt.pattern, tt.s); got != tt.want {
			t.Errorf("Glob(%q, %q) = %v", tt.pattern, tt.s, got)
		}
	}
}

// FuzzGlob compares with path.Match where the two mean the same.
func FuzzGlob(f *testing.F) {
	f.Add("*a*b?", "xxaxbx")
	f.Add(`a\*?*`, "a*bcd")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		got := probes.Glob(pattern, s)
		if pattern == "" || strings.ContainsAny(pattern, "[/") || strings.Contains(s, "/") || !isASCII(pattern+s) {
			return
		}
		want, err := path.Match(pattern, s)
		if err == nil && got != want {
			t.Errorf("Glob(%q, %q) = %v", pattern, s, got)
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func TestParsePattern(t *testing.T) {
	tests := []struct{ text, want string }{
		{"BEGIN", ":::BEGIN"},
		{"read:entry", "::read:entry"},
		{"vmlinux:read:entry", ":vmlinux:read:entry"},
		{"syscall::read:entry", "syscall::read:entry"},
		{"sdt:sched::", "sdt:sched::"},
		{"syscall:::", "syscall:::"},
		{" syscall : : re* : ", "syscall::re*:"},
		{"", ":::"},
		{"a:b:c:d:e", "probe description a:b:c:d:e has 5 parts; it can have four, provider:module:function:name"},
	}
	for _, tt := range tests {
		p, err := probes.ParsePattern(tt.text)
		got := p.String()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}
