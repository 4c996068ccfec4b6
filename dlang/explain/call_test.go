package explain_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/explain"
	"dscope.dev/dlang/token"
)

func TestCallAt(t *testing.T) {
	for _, tt := range []struct {
		text, proto, active string // the call at the bar; "" if there is none
	}{
		{"BEGIN { printf(|", "printf(string format, …)", "string format"},
		{"BEGIN { printf(\"%d\", |pid); }", "printf(string format, …)", "…"},
		{"BEGIN { printf(\"%d %d\", pid, |); }", "printf(string format, …)", "…"},
		{"BEGIN { x = substr(execname, |", "substr(string s, int from[, int length])", "int from"},
		{"BEGIN { x = substr(execname, 1, |2); }", "substr(string s, int from[, int length])", "int length"},
		{"BEGIN { x = substr(execname, 1, 2, |", "substr(string s, int from[, int length])", ""},
		{"BEGIN { trace(strlen(|", "strlen(string s)", "string s"},
		{"BEGIN { trace(strlen(execname)|); }", "trace(value)", "value"},
		{"BEGIN { trace((a + |", "trace(value)", "value"},
		{"BEGIN { trace(a[1, |", "trace(value)", "value"},
		{"BEGIN { @a[pid, |] = count(); }", "", ""},
		{"BEGIN { @a = lquantize(arg0, 0, |", "lquantize(n, int base, int limit[, int step[, weight]])", "int limit"},
		{"BEGIN { stack(|", "stack([int frames])", "int frames"},
		{"BEGIN { printa(|", "printa([string format,] @agg, …)", "string format"},
		{"BEGIN { rand(|", "rand()", ""},
		{"int add(int a, string b) { return a; } BEGIN { add(1, |", "int add(int a, string b)", "string b"},
		{"inline int lim[int a, int b] = a; BEGIN { x = lim[|", "inline int lim[int a, int b]", "int a"},
		{"BEGIN { trace(1); |", "", ""},
		{"BEGIN { trace(1)| }", "", ""},
		{"BEGIN { trace( /* | */ 1); }", "", ""},
		{"BEGIN { trace(1, // |", "", ""},
		{"syscall::read:entry /strlen(|", "strlen(string s)", "string s"},
		{"#pragma D option x(|", "", ""},
		{"|", "", ""},
	} {
		text, at := strings.ReplaceAll(tt.text, "|", ""), strings.Index(tt.text, "|")
		c, ok := explain.CallAt(token.NewFile("x.d", text), at)
		active := ""
		if ok && c.Active >= 0 {
			p := c.Params[c.Active]
			active = c.Proto[p[0]:p[1]]
		}
		if c.Proto != tt.proto || active != tt.active || ok != (tt.proto != "") {
			t.Errorf("%s: %q at %q", tt.text, c.Proto, active)
		}
	}
}
