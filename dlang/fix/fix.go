// Package fix makes of a complaint that knows its remedy changes of the script.
//
// Whoever complains says what to write instead (diag.Fix); here that becomes edits of
// the text as it was written: what a preprocessor made is followed to its origin, and
// what lies in an included file, or comes from a macro, is left to its author. An option
// becomes the line that sets it, where such lines stand.
package fix

import (
	"cmp"
	"slices"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/elsewhere"
	"dscope.dev/dlang/narrow"
	"dscope.dev/dlang/outline"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// An Edit replaces the bytes from From to To of a script.
type Edit = narrow.Edit

// A Change is one remedy.
type Change struct {
	Title string // what it does, for a menu: write quantize
	Edits []Edit // in order; they do not overlap
	All   bool   // whether it changes more than the complaint is about
}

// For returns the remedies for a complaint about f, the likeliest first. script is the
// text that f was made of.
func For(script string, f *token.File, d *diag.Diagnostic) []Change {
	var list []Change
	for _, fx := range d.Fixes {
		if fx.Option != "" {
			list = append(list, option(script, fx.Option))
			continue
		}
		if e, ok := edit(f, fx); ok {
			list = append(list, Change{Title: title(e), Edits: []Edit{e}})
		}
	}
	return list
}

// Linux returns the change that spells as Linux does all that the script calls as another
// kernel does. Ok is whether there is anything.
func Linux(script string) (c Change, ok bool) {
	tree, _ := parser.Parse(token.NewFile("script", script))
	for _, n := range elsewhere.Find(tree) {
		if n.Linux != "" {
			c.Edits = append(c.Edits, Edit{From: n.At.From.Offset(), To: n.At.To.Offset(), Text: n.Linux})
		}
	}
	slices.SortFunc(c.Edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	c.Title, c.All = "spell all names as Linux does", true
	return c, len(c.Edits) > 0
}

// option returns the change that sets an option.
func option(script, name string) Change {
	from, to, text := outline.Set(script, name, "")
	return Change{Title: "add #pragma D option " + name, Edits: []Edit{{From: from, To: to, Text: text}}}
}

// edit returns a fix as an edit of the script. Ok is false if the place was not written
// there.
func edit(f *token.File, fx diag.Fix) (Edit, bool) {
	if !fx.At.IsValid() || f.Included(fx.At.From) {
		return Edit{}, false
	}
	src, at := f.Origin(fx.At)
	if len(f.Runs()) > 0 && src.Text(at) != f.Text(fx.At) {
		return Edit{}, false
	}
	return Edit{From: at.From.Offset(), To: at.To.Offset(), Text: fx.Text}, true
}

// title says what an edit does.
func title(e Edit) string {
	if e.From < e.To {
		return "write " + e.Text
	}
	return "insert " + e.Text
}

// Apply returns the script with a change.
func Apply(script string, c Change) string {
	for _, e := range slices.Backward(c.Edits) {
		script = script[:e.From] + e.Text + script[e.To:]
	}
	return script
}
