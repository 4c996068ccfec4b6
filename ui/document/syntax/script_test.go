package syntax

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// change edits s and the text that it holds, and compares s with a script that
// is scanned whole.
func change(t *testing.T, s *Script, from, to int, with string) {
	t.Helper()
	src := s.Text()[:from] + with + s.Text()[to:]
	s.Edit(src, from, to, from+len(with))
	if want := Words(src); !slices.Equal(s.Words(), want) {
		t.Fatalf("after [%d, %d) gave way to %q the words of %q are\n%v, want\n%v", from, to, with, src, s.Words(), want)
	}
}

func TestEditAgreesWithWholeScan(t *testing.T) {
	parts := []string{"a", " ", "\n", "{", "}", "/", "*/", "/*", "//", "\"", "BEGIN", ":::entry", ";", "#pragma", "struct s { int x; };", "tick-1s { x = 1; }", "", "'", "@a", ",", "->", "self"}
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var s Script
		s.Set(strings.Repeat(script, 2))
		for range 40 {
			from := rnd.IntN(len(s.Text()) + 1)
			to := min(from+rnd.IntN(30)*rnd.IntN(2), len(s.Text()))
			change(t, &s, from, to, parts[rnd.IntN(len(parts))])
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add(script+script, 200, 3, "/* ")
	f.Add("a{}b{}c{}d{}", 4, 1, "}")
	f.Fuzz(func(t *testing.T, src string, from, n int, with string) {
		if from < 0 || from > len(src) || n < 0 {
			return
		}
		var s Script
		s.Set(src)
		change(t, &s, from, min(from+min(n, len(src)), len(src)), with)
	})
}

func TestClauses(t *testing.T) {
	src := "BEGIN { x = 1; }\n/* c */\na, b /x/ { if (y) { z } }\nstruct s { int x; };\nEND {"
	var s Script
	s.Set(src)
	var got []string
	for _, c := range s.Clauses() {
		got = append(got, src[c.From:c.To])
	}
	want := []string{"BEGIN { x = 1; }", "a, b /x/ { if (y) { z } }", "END {"}
	if !slices.Equal(got, want) {
		t.Errorf("clauses are %q, want %q", got, want)
	}
}

func TestMatch(t *testing.T) {
	src := `BEGIN { printf("}", (a[0])); }`
	var s Script
	s.Set(src)
	for _, tt := range []struct {
		at, other int
		ok        bool
	}{
		{6, 29, true}, {29, 6, true}, {14, 26, true}, {20, 25, true}, {24, 22, true}, {16, 0, false}, {0, 0, false},
	} {
		_, other, ok := s.Match(tt.at)
		if other != tt.other || ok != tt.ok {
			t.Errorf("%q at %d goes with %d, %v; want %d, %v", src[tt.at], tt.at, other, ok, tt.other, tt.ok)
		}
	}
	s.Set("BEGIN { (")
	if _, _, ok := s.Match(8); ok {
		t.Error("an open bracket has a partner")
	}
}

func TestAt(t *testing.T) {
	var s Script
	s.Set(`BEGIN { printf("a b"); } // no`)
	for off, want := range map[int]Class{0: Plain, 5: Probe, 10: Function, 17: String, 24: Punct, 30: Comment} {
		if got := s.At(off); got != want {
			t.Errorf("the class at %d is %v, want %v", off, got, want)
		}
	}
}

func BenchmarkEdit(b *testing.B) {
	src := strings.Repeat(script, 2000/strings.Count(script, "\n"))
	at := strings.Index(src[len(src)/2:], "timestamp") + len(src)/2
	longer := src[:at] + "x" + src[at:]
	var s Script
	s.Set(src)
	for b.Loop() {
		s.Edit(longer, at, at, at+1)
		s.Edit(src, at, at+1, at)
	}
}
