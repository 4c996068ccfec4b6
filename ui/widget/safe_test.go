package widget

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafe(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain text", "plain text"},
		{"größe 漢字 ✓", "größe 漢字 ✓"},
		{"\x1b[31mred", "^[[31mred"},
		{"a\x00b\nc\rd\te", "a^@b^Jc^Md e"},
		{"\x7f", "^?"},
		{"\u009b31m", `\u009b31m`}, // CSI in one character
		{"\x9b31m", `\x9b31m`},
		{"\xff\xfe", `\xff\xfe`},
		{"evil\u202egnp.exe", `evil\u202egnp.exe`},
		{"a\u2028b", `a\u2028b`},
		{"\U000e0001", `\U000e0001`},
		{"👩\u200d💻", "👩\u200d💻"},
		{"\ufffd", "\ufffd"}, // a real U+FFFD is three good bytes
	} {
		if got := Safe(tt.in); got != tt.want {
			t.Errorf("Safe(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("\x1b]52;c;aGk=\x07 \u009d0;title\u009c")
	f.Add("plain")
	f.Fuzz(func(t *testing.T, s string) {
		out := Safe(s)
		if !utf8.ValidString(out) {
			t.Fatalf("Safe(%q) is not UTF-8: %q", s, out)
		}
		if i := strings.IndexFunc(out, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || isHarmful(r) }); i >= 0 {
			t.Fatalf("Safe(%q) lets %q through", s, out[i:])
		}
		if Safe(out) != out {
			t.Fatalf("Safe changes its own result %q", out)
		}
	})
}

func BenchmarkSafe(b *testing.B) {
	for _, s := range []string{"syscall::read:entry by dd(1234) of 4096 bytes", "größe \x1b[31m 漢字"} {
		b.Run(s[:4], func(b *testing.B) {
			for b.Loop() {
				Safe(s)
			}
		})
	}
}
