package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

func TestComplaintsBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		b.keys("alt+2")
		b.text("BEGIN { x; qantize(1) }")
		b.wait(time.Second)
		at := strings.Index(b.model().editor.Document().Text(), "qantize")
		var list diag.List
		list.Add(token.Span{From: 9, To: 10}, diag.UnknownIdent, "nothing is called x")
		span := token.Span{From: token.Pos(at + 1), To: token.Pos(at + 8)}
		list.Add(span, diag.UnknownIdent, "no function is called qantize").Instead(span, "quantize")
		b.model().editor.SetDiagnostics(b.model().editor.Document().Ref(), list)
		b.keys("alt+v")
		b.shows("untitled: 2 errors, 0 warnings", "1 error   nothing is called x", "1 error   no function is called qantize", "remedy")
		b.send(tea.WindowSizeMsg{Width: 60, Height: 24})
		list.Add(span, diag.UnknownIdent, "this is a complaint of which one line of a narrow box holds the beginning alone")
		b.model().editor.SetDiagnostics(b.model().editor.Document().Ref(), list)
		b.keys("end")
		b.shows("[D_IDENT_UNDEF]", "holds the beginning")
		b.keys("k")
		list = list[:2]
		b.model().editor.SetDiagnostics(b.model().editor.Document().Ref(), list)
		b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		b.keys("k", "enter")
		if got := b.model().editor.Document().Sel.Head; got != 8 {
			t.Errorf("the cursor is at %d", got)
		}
		b.keys("alt+v", "down", "f")
		if got := b.model().editor.Document().Text(); got != "BEGIN { x; quantize(1) }" {
			t.Errorf("the script is %q", got)
		}
		b.shows("write quantize")
		b.end()
	})
}
