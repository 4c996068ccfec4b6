package icicle

import (
	"strings"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/flame"
)

// tree makes one of folded stacks, outermost first, and what they have.
func tree(stacks map[string]int64) *flame.Tree {
	var t trace.Table
	for folded, n := range stacks {
		v := trace.Value{Kind: trace.UstackValue}
		for _, f := range strings.Split(folded, ";") {
			v.Frames = append([]trace.Frame{{Module: "m", Symbol: f}}, v.Frames...)
		}
		t.Rows = append(t.Rows, trace.Row{Value: n, Keys: []trace.Value{v}})
	}
	return flame.Merge(&t, flame.Options{})
}

// TestView walks through a tree, zooms, and finds its place again in the next.
func TestView(t *testing.T) {
	var v View
	v.Show(tree(map[string]int64{"main;read;copy": 5, "main;read;check": 1, "main;sort": 4, "idle": 2}))
	steps := []struct {
		do   func()
		want string
	}{
		{v.Down, "main"},
		{v.Down, "read"},
		{func() { v.Fit(40, 9); v.Beside(+1) }, "sort"},
		{func() { v.Beside(+1) }, "sort"}, // the last of its level
		{func() { v.Beside(-1) }, "read"},
		{v.Zoom, "read"},
		{v.Up, "read"}, // which has the whole width
		{func() { v.Scroll(9) }, "copy"},
		{func() { v.Show(tree(map[string]int64{"main;read;copy": 1, "other": 9})) }, "copy"},
		{v.Out, "read"},
		{v.Up, "main"},
		{func() { v.Fit(40, 9); v.Click(1, 39) }, "other"},
		{func() { v.Show(tree(map[string]int64{"idle": 9})) }, "all"},
	}
	for i, s := range steps {
		if s.do(); v.Tree.Text(v.At) != s.want {
			t.Fatalf("step %d: the cursor is on %s, want %s", i, v.Tree.Text(v.At), s.want)
		}
	}
}

// TestWindow keeps the cursor in view.
func TestWindow(t *testing.T) {
	var v View
	v.Show(tree(map[string]int64{"a;b;c;d;e;f": 1}))
	v.Scroll(9)
	if v.Fit(40, 3); v.Top != 4 || len(v.Picture) != 7 {
		t.Errorf("the window begins at %d of %d", v.Top, len(v.Picture))
	}
	v.Scroll(-9)
	if v.Fit(40, 3); v.Top != 0 {
		t.Errorf("at the root the window begins at %d", v.Top)
	}
}
