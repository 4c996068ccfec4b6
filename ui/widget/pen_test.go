package widget

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

func renderer(p termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	return r
}

func TestPenDrawsAsStyle(t *testing.T) {
	r := renderer(termenv.TrueColor)
	for _, s := range []lipgloss.Style{
		r.NewStyle(),
		r.NewStyle().Bold(true).Foreground(lipgloss.Color("#ff0000")),
		r.NewStyle().Underline(true).Background(lipgloss.Color("#00ff00")).Reverse(true),
	} {
		if got, want := NewPen(s).Draw("w"), s.Render("w"); got != want {
			t.Errorf("pen draws %q, style %q", got, want)
		}
	}
	if got := NewPen(renderer(termenv.Ascii).NewStyle().Bold(true)).Draw("word"); got != "word" {
		t.Errorf("a plain pen draws %q", got)
	}
	var zero Pen
	var b strings.Builder
	zero.Write(&b, "word")
	zero.Write(&b, "")
	if b.String() != "word" {
		t.Errorf("the zero pen draws %q", b.String())
	}
}

func BenchmarkPen(b *testing.B) {
	p := NewPen(renderer(termenv.TrueColor).NewStyle().Bold(true))
	var out strings.Builder
	for b.Loop() {
		out.Reset()
		p.Write(&out, "word")
	}
}
