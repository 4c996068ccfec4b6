package chart

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/ink"
)

// TestPair draws two bars over one another in every kind of terminal.
func TestPair(t *testing.T) {
	for _, tt := range []struct {
		a, b, scale float64
		glyphs      string
		ascii       string
	}{
		{5, 10, 10, "█████▄▄▄▄▄", "=====_____"},
		{10, 5, 10, "█████▀▀▀▀▀", `====="""""`},
		{10, 0, 10, "▀▀▀▀▀▀▀▀▀▀", `""""""""""`},
		{0, 0.001, 10, "▄         ", "_         "},
		{20, 20, 10, "██████████", "=========="},
		{0, 0, 0, "          ", "          "},
		{-5, 5, 10, "▄▄▄▄▄     ", "_____     "},
	} {
		for _, ascii := range []bool{false, true} {
			theme, err := themes.Load("", themes.Options{Depth: themes.Plain, ASCII: ascii})
			if err != nil {
				t.Fatal(err)
			}
			var l ink.Line
			l.Reset(10, ink.Ink{})
			NewLooks(theme).Pair(&l, tt.a, tt.b, tt.scale, 10)
			want := tt.glyphs
			if ascii {
				want = tt.ascii
			}
			if got := ansi.Strip(l.String()); got != want {
				t.Errorf("%g and %g of %g: %q, want %q", tt.a, tt.b, tt.scale, got, want)
			}
		}
	}
	theme, err := themes.Load("", themes.Options{Depth: themes.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	var l ink.Line
	l.Reset(10, ink.Ink{})
	NewLooks(theme).Pair(&l, 5, 10, 10, 10)
	if got := ansi.Strip(l.String()); got != "▀▀▀▀▀▄▄▄▄▄" { // where both are, one is the ink and one the ground
		t.Errorf("with colours %q", got)
	}
}

func TestQuantile(t *testing.T) {
	b := func(counts ...int64) (out []trace.Bucket) {
		for i, n := range counts {
			out = append(out, trace.Bucket{Low: int64(i), High: int64(i), Count: n})
		}
		return out
	}
	for _, tt := range []struct {
		buckets []trace.Bucket
		part    float64
		low     int64
		ok      bool
	}{
		{b(50, 50), 0.5, 0, true}, {b(50, 50), 0.51, 1, true}, {b(0, 99, 1), 0.99, 1, true}, {b(0, 99, 1, 0), 1, 2, true},
		{b(0, 0), 0.5, 0, false}, {b(5, -1), 0.5, 0, false}, {nil, 0.5, 0, false},
	} {
		if got, ok := Quantile(tt.buckets, tt.part); got.Low != tt.low || ok != tt.ok {
			t.Errorf("%g of %v lies in %d, %t", tt.part, tt.buckets, got.Low, ok)
		}
	}
}
