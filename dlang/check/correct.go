package check

import (
	"errors"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// A Corrector is an error of an Env that knows which part of a description is wrong, and
// what it could be instead, the nearest first.
type Corrector interface {
	error
	Correct() (part string, instead []string)
}

// correct offers to write another part in a description.
func (c *checker) correct(say *diag.Diagnostic, d *ast.ProbeDesc, err error) {
	var knows Corrector
	if !errors.As(err, &knows) {
		return
	}
	wrong, instead := knows.Correct()
	parts, from := strings.Split(d.Text, ":"), d.Span().From
	for _, p := range parts {
		at := token.Span{From: from, To: from + token.Pos(len(p))}
		if p == wrong && p != "" {
			for _, s := range instead {
				say.Instead(at, s)
			}
			return
		}
		from = at.To + 1
	}
}

// nameAfter returns the place of a name behind its sigil.
func nameAfter(sigil token.Pos, name string) token.Span {
	return token.Span{From: sigil + 1, To: sigil + 1 + token.Pos(len(name))}
}

// selector returns the place of what selects a member: . or ->.
func selector(x *ast.Member) token.Span {
	return token.Span{From: x.X.Span().To, To: x.Name.Span().From}
}
