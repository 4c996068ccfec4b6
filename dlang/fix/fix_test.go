package fix_test

import (
	"io"
	"strings"
	"testing"

	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/fix"
	"dscope.dev/dlang/token"
)

func TestLinux(t *testing.T) {
	script := "BEGIN { trace(curthread->t_procp->p_pidp->pid_id); trace(curthread->t_pri); }"
	c, ok := fix.Linux(script)
	got := fix.Apply(script, c)
	if !ok || strings.Contains(got, "t_procp") || strings.Contains(got, "t_pri)") {
		t.Errorf("%v: %s", ok, got)
	}
	if _, ok := fix.Linux("BEGIN { trace(pid); }"); ok {
		t.Error("Linux's own names are changed")
	}
}

// TestPreprocessed holds that only what the script itself has written is changed.
func TestPreprocessed(t *testing.T) {
	src := "#include \"a.h\"\n#define WORD wrong\nBEGIN { wrong = WORD; }\n"
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("int wrong;\n")), nil }
	r, list := cpp.Process(cpp.Config{Open: open}, "x.d", src)
	if list.Failed() {
		t.Fatal(list[0].Msg)
	}
	var got []string
	for rest := 0; ; {
		i := strings.Index(r.File.Src[rest:], "wrong")
		if i < 0 {
			break
		}
		rest += i + 1
		var d diag.Diagnostic
		at := token.Pos(rest)
		d.Instead(token.Span{From: at, To: at + 5}, "right")
		for _, c := range fix.For(src, r.File, &d) {
			got = append(got, fix.Apply(src, c))
		}
	}
	if want := strings.Replace(src, "{ wrong", "{ right", 1); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}

func TestOption(t *testing.T) {
	var d diag.Diagnostic
	d.Set("destructive")
	script := "#!/usr/sbin/dtrace -s\nBEGIN { stop(); }\n"
	c := fix.For(script, token.NewFile("x.d", script), &d)[0]
	if got, want := fix.Apply(script, c), "#!/usr/sbin/dtrace -s\n#pragma D option destructive\nBEGIN { stop(); }\n"; got != want {
		t.Errorf("%q", got)
	}
}
