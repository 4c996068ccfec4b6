package engine

import (
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

func TestOnScreen(t *testing.T) {
	script := token.NewFile("script", "BEGIN { f(); }")
	lib := token.NewAnnex("a.d", "\nint f;", 4, script.End())
	f := script.WithAnnexes([]*token.File{lib})
	in := token.Span{From: lib.Base() + 6, To: lib.Base() + 7}
	own := token.Span{From: 9, To: 10}
	var list diag.List
	list.Add(own, diag.UnknownFunc, "f is no function").Note(in, "it is declared here").Note(own, "and used here")
	list.Add(in, diag.Syntax, "nothing is said of f")
	got := onScreen(f, list)
	if d := got[0]; d.At != own || d.Msg != "f is no function" || d.Notes[0].At.IsValid() || d.Notes[0].Msg != "a.d, line 5: it is declared here" || d.Notes[1].At != own {
		t.Errorf("got %+v", d)
	}
	if d := got[1]; d.At != (token.Span{From: 1, To: 1}) || d.Msg != "a.d, line 5: nothing is said of f" {
		t.Errorf("got %+v", d)
	}
	if list[1].At != in {
		t.Error("the list of others was changed")
	}
}
