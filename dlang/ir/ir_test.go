package ir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/golden"
)

// TestArchives shows what each pass makes of a text. A part is named after the
// pass that runs alone, "all" for all of them, "form" for none.
func TestArchives(t *testing.T) {
	printers := map[string]func([]byte) []byte{
		"form": func(in []byte) []byte { return show(in, func(f *Func) error { return Verify(f) }) },
		"all":  func(in []byte) []byte { return show(in, func(f *Func) error { return Optimize(f, 2, nil) }) },
		"none": func(in []byte) []byte { return show(in, func(f *Func) error { return Optimize(f, 0, nil) }) },
	}
	for _, p := range passes {
		printers[p.name] = func(in []byte) []byte {
			return show(in, func(f *Func) error {
				p.run(f)
				return Verify(f)
			})
		}
	}
	golden.Run(t, "../../testdata/ir/*.txtar", printers)
}

func show(in []byte, run func(*Func) error) []byte {
	p, err := Parse(string(in))
	if err != nil {
		return fmt.Appendln(nil, err)
	}
	for _, f := range p.Funcs {
		if err := Verify(f); err != nil {
			return fmt.Appendf(nil, "%s: %v\n", f.Name, err)
		}
		if err := run(f); err != nil {
			return fmt.Appendf(nil, "%s: %v\n", f.Name, err)
		}
	}
	return []byte(Print(p, nil))
}

// corpus returns the texts of all archives that hold the form.
func corpus(t testing.TB) []string {
	var list []string
	for _, glob := range []string{"../../testdata/ir/*.txtar", "../../testdata/lower/*.txtar", "../lower/lib/*.ir"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range strings.Split(string(b), "\n-- ") {
				if name, text, ok := strings.Cut(part, " --\n"); ok && name != "input" && name != "layout" {
					list = append(list, text)
				}
			}
		}
	}
	if len(list) == 0 {
		t.Fatal("no texts")
	}
	return list
}

// TestRoundTrip prints what was parsed and parses that again.
func TestRoundTrip(t *testing.T) {
	n := 0
	for _, text := range corpus(t) {
		if roundTrip(t, text) {
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d texts could be parsed", n)
	}
}

// roundTrip reports whether text can be parsed.
func roundTrip(t *testing.T, text string) bool {
	p, err := Parse(text)
	if err != nil {
		return false
	}
	once := Print(p, nil)
	q, err := Parse(once)
	if err != nil {
		t.Fatalf("printed form cannot be read: %v\n%s", err, once)
	}
	if twice := Print(q, nil); twice != once {
		t.Fatalf("printed again it differs:\n%s\nwas\n%s", twice, once)
	}
	return true
}

// FuzzParse reads anything: it must not panic, and what it accepts must print
// and parse to the same. What verifies must pass all passes.
func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 || !roundTrip(t, text) {
			return
		}
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range p.Funcs {
			if Verify(fn) != nil {
				continue
			}
			if err := Optimize(fn, 2, nil); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	})
}

// TestPassOrder checks that what a pass must come after comes before it.
func TestPassOrder(t *testing.T) {
	var seen []string
	for _, p := range passes {
		for _, a := range p.after {
			if !slices.Contains(seen, a) {
				t.Errorf("%s must come after %s", p.name, a)
			}
		}
		if slices.Contains(seen, p.name) {
			t.Errorf("%s comes twice", p.name)
		}
		seen = append(seen, p.name)
	}
}

// TestVerify gives texts that are wrong in one way each.
func TestVerify(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"b0:\n v0 = const #1", "must be the last"},
		{"b0:\n v0 = const #1\n v1 = load.8 v0\n return", "wrong type"},
		{"b0:\n v0 = add v1 v1\n v1 = const #1\n return", "not computed"},
		{"b0:\n v0 = self\n v1 = load.8 v0\n return", "may be null"},
		{"b0:\n v0 = self\n v1 = ptreq0 v0\n branch v1 b1 b2\nb1:\n v2 = load.8 v0\n return\nb2:\n return", "may be null"},
		{"b0:\n v0 = alloca.8\n v1 = arg\n v2 = add v0 v1\n return", "no bound"},
		{"b0:\n v0 = alloca.12\n return", "multiple of 8"},
		{"b0:\n v0 = arg\n v1 = sext.8 v0\n return", "size of 8"},
		{"b0:\n jump b1\nb1:\n v0 = alloca.8\n return", "outside of the entry"},
		{"b0:\n v0 = arg\n branch v0 b1 b2\nb1:\n v1 = const #1\n jump b2\nb2:\n v2 = neg v1\n return", "not computed on every way"},
		{"b0:\n jump b0", "predecessors"},
		{"b0:\n v0 = keyin\n return", "no keys"},
		{"b0:\n v0 = builtin\n return", "no name"},
		{"b0:\n v0 = bound v0\n return", "not computed"},
		{"b0:\n v0 = arg\n v1 = bound v0\n return", "leaves nothing"},
		{"b0:\n v0 = arg\n v1 = neg v0 v0\n return", "2 arguments"},
	} {
		p, err := Parse("sub x\n" + tt.text + "\n")
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if err := Verify(p.Funcs[0]); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// TestParseErrors gives texts that cannot be read.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"sub x\nb0:\n v0 = frobnicate\n return", "frobnicate"},
		{"sub x\nb0:\n jump b1", "b1 is missing"},
		{"sub x\nb0:\n v0 = neg v1\n return", "v1 is missing"},
		{"sub x\n return", "before the first block"},
		{"sub x\nb0:\n v0 = const #1\n v0 = const #2\n return", "comes twice"},
		{"func x\n", "without a unit"},
		{"var 1 x global", "numbered"},
		{"var 0 x nowhere", "no kind"},
		{`string 0 "abc`, "does not end"},
		{"stray", "stray"},
		{"sub x\nb0:\n return\n return", "after the end"},
		{"sub x\nb0:\n v0 = drop\n return", "gives nothing"},
		{"sub x\nb0:\n jump b1\nb1:\n v0 = phi b2:v1\n return\nb2:\n v1 = const #1\n return", "nothing comes from b0"},
	} {
		_, err := Parse(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}
