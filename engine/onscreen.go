package engine

import (
	"fmt"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// onScreen makes complaints ready for an editor, which holds the script and nothing
// else: what is about a library says so in words, and stands where the script begins.
func onScreen(f *token.File, list diag.List) diag.List {
	out := make(diag.List, len(list))
	for i, d := range list {
		c := *d
		c.At, c.Msg = inScript(f, d.At, d.Msg)
		c.Notes = nil
		for _, n := range d.Notes {
			at, msg := inScript(f, n.At, n.Msg)
			if at != n.At {
				at = token.Span{}
			}
			c.Notes = append(c.Notes, diag.Note{At: at, Msg: msg})
		}
		out[i] = &c
	}
	return out
}

// inScript returns a place of the script and what is said of it.
func inScript(f *token.File, at token.Span, msg string) (token.Span, string) {
	if !at.IsValid() || !f.Outside(at.From) {
		return at, msg
	}
	name, line, _ := f.Place(at.From)
	return token.Span{From: 1, To: 1}, fmt.Sprintf("%s, line %d: %s", name, line, msg)
}
