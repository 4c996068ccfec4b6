package parser_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// sameTree holds that a Keeper makes of src what is made of it without one.
func sameTree(t *testing.T, k *parser.Keeper, src string) {
	t.Helper()
	got, gotErrs := k.Parse(parser.Config{}, token.NewFile("x.d", src))
	want, wantErrs := parser.Parse(token.NewFile("x.d", src))
	if !reflect.DeepEqual(gotErrs, wantErrs) {
		t.Fatalf("%q:\ncomplaints %v instead of %v", src, gotErrs, wantErrs)
	}
	got.File = want.File
	if !reflect.DeepEqual(got.Items, want.Items) || got.At != want.At {
		t.Fatalf("%q:\nthe tree is another:\n%s", src, golden.Diff(ast.Dump(want), ast.Dump(got)))
	}
	if len(got.Comments)+len(want.Comments) > 0 && !reflect.DeepEqual(got.Comments, want.Comments) {
		t.Fatalf("%q:\ncomments %v instead of %v", src, got.Comments, want.Comments)
	}
}

// TestKeep writes scripts as people do: at a place a few keys, which may be taken back, then at
// another.
func TestKeep(t *testing.T) {
	inputs := golden.Inputs(t, "../../testdata/*/*.txtar")
	rnd := rand.New(rand.NewPCG(3, 4))
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	var k parser.Keeper
	for range rounds {
		src := inputs[rnd.IntN(len(inputs))]
		for len(src) < 2000 && rnd.IntN(3) > 0 {
			src += inputs[rnd.IntN(len(inputs))]
		}
		sameTree(t, &k, src)
		for range rnd.IntN(5) {
			at := rnd.IntN(len(src) + 1)
			typed := extra[rnd.IntN(len(extra))]
			if rnd.IntN(4) == 0 { // cut
				to := min(len(src), at+rnd.IntN(60))
				src = src[:at] + src[to:]
				sameTree(t, &k, src)
				continue
			}
			before, after := src[:at], src[at:]
			for i := range len(typed) {
				src = before + typed[:i+1] + after
				sameTree(t, &k, src)
			}
			if rnd.IntN(2) == 0 {
				src = before + after
				sameTree(t, &k, src)
			}
		}
	}
}

// TestKeepNames changes what a name means in items that do not change.
func TestKeepNames(t *testing.T) {
	const head, tail = "BEGIN { y = 1; }\n", "\nBEGIN { trace((x)-1); z = (x)*y; }\nEND { int x; trace((x)-1); }\nint x;\nBEGIN { trace((x)&y); }"
	var k parser.Keeper
	for _, src := range []string{"", "typedef int x;", "int x;", "BEGIN { x = 1; }", "BEGIN { int x; x = 1; }", "typedef int y;", "", "BEGIN { y_t = 2; }", "typedef int x"} {
		sameTree(t, &k, head+src+tail)
		sameTree(t, &k, head+src+"\n\n"+tail)
		sameTree(t, &k, head+src+strings.ReplaceAll(tail, "x", "y"))
	}
}

// TestKept holds that a key has little read again, and that what was read from a text is not
// kept for long.
func TestKept(t *testing.T) {
	const clauses, rounds = 640, 64
	lines := make([]string, clauses)
	for i := range lines {
		lines[i] = fmt.Sprintf("tick-%ds { x%d = (foo_t)-y; @a = count(); }", i+1, i)
	}
	var k parser.Keeper
	parse := func() []ast.Item {
		script, errs := k.Parse(parser.Config{}, token.NewFile("x.d", strings.Join(lines, "\n")))
		if len(errs) > 0 || len(script.Items) != clauses {
			t.Fatalf("%d items, %v", len(script.Items), errs)
		}
		return slices.Clone(script.Items)
	}
	first := parse()
	last := first
	for i := range rounds {
		lines[300] += " "
		if i%2 > 0 {
			lines[300] = strings.TrimSpace(lines[300])
		}
		now, kept := parse(), 0
		for j := range now {
			if now[j] == last[j] {
				kept++
			}
		}
		if want := clauses - clauses/rounds - 2; kept < want {
			t.Errorf("%d of %d clauses are kept after key %d, want %d", kept, clauses, i, want)
		}
		last = now
	}
	for i := range last {
		if last[i] == first[i] {
			t.Errorf("clause %d is as old as the script", i)
		}
	}
}

// TestKeepLets holds that a Keeper lets go of what it kept before.
func TestKeepLets(t *testing.T) {
	var k parser.Keeper
	var files []weak.Pointer[token.File]
	for i := range 5 {
		f := token.NewFile("x.d", "BEGIN { x = 1; }\nEND { trace(1"+strings.Repeat("0", i)+"); }\n")
		k.Parse(parser.Config{}, f)
		files = append(files, weak.Make(f))
	}
	runtime.GC()
	for i, f := range files[:len(files)-1] {
		if f.Value() != nil {
			t.Errorf("the file of key %d is held", i)
		}
	}
	runtime.KeepAlive(&k)
}

func FuzzKeep(f *testing.F) {
	for _, src := range golden.Inputs(f, "../../testdata/*/*.txtar") {
		f.Add(src, "x = 1;", len(src)/2, 1)
	}
	f.Fuzz(func(t *testing.T, src, typed string, at, cut int) {
		at = min(max(at, 0), len(src))
		cut = min(max(cut, 0), len(src)-at)
		var k parser.Keeper
		sameTree(t, &k, src)
		sameTree(t, &k, src[:at]+typed+src[at+cut:])
		sameTree(t, &k, src)
	})
}
