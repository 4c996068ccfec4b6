package editor

import (
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// complain returns complaints about the words of a script.
func complain(script string, words ...string) diag.List {
	var l diag.List
	for _, w := range words {
		i := strings.Index(script, w)
		l.Add(token.Span{From: token.Pos(i + 1), To: token.Pos(i + len(w) + 1)}, diag.UnknownIdent, "nothing is called %s", w)
	}
	return l
}

func TestMessage(t *testing.T) {
	r := newRig(t, "BEGIN\n{\n\tfoo = bar;|\n}\n")
	l := complain(r.m.doc.Text(), "foo", "bar")
	l[1].Suggest("write %s", "baz")
	r.m.SetDiagnostics(r.m.doc.Ref(), l)
	for _, tt := range []struct{ keys, want string }{
		{"", "nothing is called foo [D_IDENT_UNDEF]"}, // the first of the line
		{"ctrl+left ctrl+left", "nothing is called bar [D_IDENT_UNDEF]; write baz"},
		{"up", ""},
		{"f8", "nothing is called foo [D_IDENT_UNDEF]"},
		{"f8", "nothing is called bar [D_IDENT_UNDEF]; write baz"},
		{"f8", "nothing is called foo [D_IDENT_UNDEF]"},
	} {
		if r.press(tt.keys); r.message() != tt.want {
			t.Errorf("after %q the message is %q, want %q", tt.keys, r.message(), tt.want)
		}
	}
	if e, w := r.m.doc.Complaints(); e != 2 || w != 0 {
		t.Errorf("there are %d errors and %d warnings", e, w)
	}
}

// TestWildComplaints makes sure that no span, however wrong, breaks the pane.
func TestWildComplaints(t *testing.T) {
	r := newRig(t, "ab\x1b\n|")
	var l diag.List
	for _, s := range []token.Span{{}, {From: 1}, {From: 99, To: 120}, {From: 5, To: 5}, {From: 3, To: 1}} {
		l.Add(s, diag.Syntax, "bad \x1b[31m")
	}
	r.m.SetDiagnostics(r.m.doc.Ref(), l)
	for _, off := range []string{"", "up", "ctrl+end"} {
		r.press(off)
		if f := r.frame(40, 10); strings.Contains(f, "\x1b") {
			t.Errorf("an escape reaches the screen:\n%q", f)
		}
	}
}
