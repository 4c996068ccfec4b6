package outline

import "testing"

func TestSet(t *testing.T) {
	for _, tt := range []struct{ script, name, value, want string }{
		{"", "quiet", "", "#pragma D option quiet\n"},
		{"BEGIN { }", "aggsize", "8m", "#pragma D option aggsize=8m\nBEGIN { }"},
		{"BEGIN { }\r\n", "aggsize", "8m", "#pragma D option aggsize=8m\r\nBEGIN { }\r\n"},
		{"#!/usr/sbin/dtrace -s\n/* words */\nBEGIN { }", "aggsize", "8m", "#!/usr/sbin/dtrace -s\n#pragma D option aggsize=8m\n/* words */\nBEGIN { }"},
		{"#!/usr/sbin/dtrace -s", "aggsize", "8m", "#!/usr/sbin/dtrace -s\n#pragma D option aggsize=8m"},
		{"/* a */\n #pragma  D\toption AggSize=1k  \n#pragma D option aggrate=1s\nBEGIN { }", "aggsize", "8m",
			"/* a */\n #pragma D option aggsize=8m  \n#pragma D option aggrate=1s\nBEGIN { }"},
		{"#pragma D option aggsize=1k\n#pragma D option aggsize=2k\nBEGIN { }", "aggsize", "8m", "#pragma D option aggsize=1k\n#pragma D option aggsize=8m\nBEGIN { }"},
		{"// #pragma D option aggsize=1k\nBEGIN { trace(\"#pragma D option aggsize=1\"); }", "aggsize", "8m",
			"#pragma D option aggsize=8m\n// #pragma D option aggsize=1k\nBEGIN { trace(\"#pragma D option aggsize=1\"); }"},
	} {
		from, to, text := Set(tt.script, tt.name, tt.value)
		if has := Sets(tt.script, tt.name); has != (from < to) || !Sets(tt.want, tt.name) {
			t.Errorf("%q sets %s: %t", tt.script, tt.name, has)
		}
		if got := tt.script[:from] + text + tt.script[to:]; got != tt.want {
			t.Errorf("%q with %s=%s is\n%q, want\n%q", tt.script, tt.name, tt.value, got, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	for script, want := range map[string]int{
		"": -1, "#pragma D option strsize=1k": 1024, "#pragma D option strsize = \"64\"\n": 64, "#pragma D option strsize": -1, "#pragma D option strsize=x": -1,
		"#pragma D option strsize=1\n#pragma D option strsize=2": 2, "#pragma D option aggsize=1": -1,
	} {
		n, ok := Size(script, "strsize")
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q sets it to %d, %t", script, n, ok)
		}
	}
}
