// Package icicle is how a tree of stacks is looked at as an icicle: which frame the cursor is
// on, which one has the whole width, and which levels are in view. Where frames stand is a
// matter of package chart, and what keys ask for a matter of whoever shows the icicle.
//
// Cursor and zooms are kept as paths from the root, so that they hold in the next tree of the
// same stacks.
package icicle

import (
	"slices"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/flame"
)

// levels is how deep an icicle is laid out.
const levels = 1_000

// A View is a part of a tree. The zero View has none: see Show.
type View struct {
	Tree    *flame.Tree
	At      int32        // the node that the cursor is on
	Root    int32        // the node that has the whole width
	Top     int          // the first level in view
	Picture chart.Icicle // where frames stand; see Fit

	path  []uint64   // to At
	zooms [][]uint64 // what has been made the root, one in the other
}

// Show looks at a tree, and finds cursor and root in it as far as they are there.
func (v *View) Show(t *flame.Tree) {
	v.Tree, v.Root = t, 0
	if n := len(v.zooms); n > 0 {
		v.Root, _ = t.Find(v.zooms[n-1])
	}
	v.At, _ = t.Find(v.path)
	if !v.Under(v.At, v.Root) {
		v.At = v.Root
	}
}

// Fit lays the picture out on w cells, and moves the window of h levels so that the cursor is
// in it.
func (v *View) Fit(w, h int) {
	v.Picture = chart.NewIcicle(v.Tree, v.Root, w, levels)
	v.Keep(v.Level(v.At), len(v.Picture), h)
}

// Keep moves the window of h of all lines so that one of them is in it.
func (v *View) Keep(at, all, h int) { v.Top = max(min(v.Top, at, all-h), at-h+1, 0) }

// Under reports whether n is root or below it.
func (v *View) Under(n, root int32) bool {
	for n > root { // parents come first
		n = v.Tree.Nodes[n].Parent
	}
	return n == root
}

// Level returns how many levels below the root of the picture a node is.
func (v *View) Level(n int32) int { return int(v.Tree.Nodes[n].Depth - v.Tree.Nodes[v.Root].Depth) }

// Choose puts the cursor on a node; a negative one is none.
func (v *View) Choose(n int32) {
	if n >= 0 {
		v.At, v.path = n, v.Tree.Path(n)
	}
}

// Up goes to the caller.
func (v *View) Up() {
	if v.At != v.Root {
		v.Choose(v.Tree.Nodes[v.At].Parent)
	}
}

// Down goes to the widest frame below.
func (v *View) Down() { v.Choose(v.Tree.Heaviest(v.At)) }

// Beside goes to the next frame of the level that is drawn; from one that is too narrow
// for that, to the next of those that were called by the same.
func (v *View) Beside(by int) {
	if level, i, ok := v.Picture.Find(v.At); ok {
		if line := v.Picture[level]; i+by >= 0 && i+by < len(line) {
			v.Choose(line[i+by].Node)
		}
		return
	}
	if p := v.Tree.Nodes[v.At].Parent; p >= 0 {
		all := v.Tree.Below(p)
		v.Choose(all[min(max(slices.Index(all, v.At)+by, 0), len(all)-1)])
	}
}

// Scroll moves the cursor by levels.
func (v *View) Scroll(by int) {
	n := v.At
	for ; by < 0 && n != v.Root; by++ {
		n = v.Tree.Nodes[n].Parent
	}
	for ; by > 0 && v.Tree.Heaviest(n) >= 0; by-- {
		n = v.Tree.Heaviest(n)
	}
	v.Choose(n)
}

// Zoom gives the frame under the cursor the whole width.
func (v *View) Zoom() {
	if v.At != v.Root {
		v.zooms = append(v.zooms, v.Tree.Path(v.At))
		v.path, v.Top = v.Tree.Path(v.At), 0
		v.Root = v.At
	}
}

// NoZoom says why there is nothing to zoom to.
func (v *View) NoZoom() string {
	if v.At == v.Root {
		return "the frame under the cursor has the whole width already"
	}
	return ""
}

// Zoomed reports whether there is a zoom to take back.
func (v *View) Zoomed() bool { return len(v.zooms) > 0 }

// Out takes the last zoom back.
func (v *View) Out() {
	if n := len(v.zooms); n > 0 {
		v.Choose(v.Root)
		v.zooms, v.Top = v.zooms[:n-1], 0
		v.Show(v.Tree)
	}
}

// Whole takes all zooms back.
func (v *View) Whole() { v.zooms = nil }

// Reset forgets zooms and cursor, where the next tree is of something else.
func (v *View) Reset() { v.zooms, v.path = nil, nil }

// Click chooses what is at cell x of a line of the window, or zooms to it if the cursor is
// there already.
func (v *View) Click(line, x int) {
	switch s, ok := v.Picture.At(line+v.Top, x); {
	case !ok:
	case s.Node == v.At:
		v.Zoom()
	default:
		v.Choose(s.Node)
	}
}
