package editor

import (
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

func TestDefinitionAndRename(t *testing.T) {
	const script = "syscall::read:entry { self->ts = timestamp; @n[execname] = count(); }\nsyscall::read:return /self->t|s/ { @n[\"x\"] = count(); self->ts = 0; }\n"
	for _, tt := range []struct{ name, script, keys, want, said string }{
		{"definition", script, "alt+j 'X'", strings.Replace(strings.Replace(script, "|", "", 1), "self->ts", "self->X|ts", 1), ""},
		{"next place", script, "alt+j alt+j 'X'", strings.Replace(script, "self->t|s", "self->X|ts", 1), ""},
		{"rename", script, "alt+y 'began' enter", strings.ReplaceAll(strings.Replace(script, "|", "", 1), "self->ts", "self->began"), "self->ts is called began now, in 3 places"},
		{"rename is one step", script, "alt+y 'began' enter ctrl+z", strings.Replace(script, "|", "", 1), ""},
		{"to a word of D", script, "alt+y 'if' enter", strings.Replace(script, "|", "", 1), "not renamed: if is a word of D"},
		{"not ours", "BEGIN { trace(exec|name); }", "alt+y", "BEGIN { trace(execname); }", "execname is not declared in this script"},
		{"no name", "BEGIN { | }", "alt+j", "BEGIN {  }", "the cursor is at no name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.script).press(tt.keys)
			got, want := r.m.doc.Text(), tt.want
			if strings.Contains(want, "|") {
				got, want = r.state(), strings.Replace(want, "X|", "X|", 1)
			}
			if got != want || tt.said != "" && r.m.notice != tt.said && r.m.why != tt.said {
				t.Errorf("the script is %q, want %q; %q, %q", got, want, r.m.notice, r.m.why)
			}
		})
	}
}

func TestRemedy(t *testing.T) {
	r := newRig(t, "BEGIN { @ = qantize(|1); }")
	if r.press("alt+enter"); r.m.why != "the cursor is at no complaint" {
		t.Errorf("without a complaint: %q", r.m.why)
	}
	at := strings.Index(r.m.doc.Text(), "qantize")
	span := token.Span{From: token.Pos(at + 1), To: token.Pos(at + 8)}
	var list diag.List
	list.Add(span, diag.UnknownIdent, "no aggregating function is called qantize").Instead(span, "quantize").Instead(span, "lquantize")
	r.m.SetDiagnostics(r.m.doc.Ref(), list)
	r.press("left left")
	if r.press("alt+enter"); r.m.doc.Text() != "BEGIN { @ = quantize(1); }" || !strings.HasPrefix(r.m.notice, "write quantize (1 of 2") {
		t.Errorf("%q, %q, %q", r.m.doc.Text(), r.m.notice, r.m.why)
	}
	if r.press("alt+enter"); r.m.doc.Text() != "BEGIN { @ = lquantize(1); }" {
		t.Errorf("once more gives %q", r.m.doc.Text())
	}
	if r.press("ctrl+z"); r.m.doc.Text() != "BEGIN { @ = qantize(1); }" {
		t.Errorf("undo gives %q", r.m.doc.Text())
	}
}

// What a call takes stands below the text while it is written.
func TestHint(t *testing.T) {
	r := newRig(t, "BEGIN { trace(substr(execname, |2)); }")
	if got := r.frame(70, 8); !strings.Contains(got, "substr(string") {
		t.Errorf("nothing is said of the call:\n%s", got)
	}
	if r.press("end"); strings.Contains(r.frame(70, 8), "substr(string") {
		t.Error("it is still said behind the call")
	}
}
