package engine

import (
	"context"
	"errors"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/mishap"
)

// An Inspection is what can be said of a script without running it.
type Inspection struct {
	File *token.File // what List is about
	Tree *ast.Script
	List diag.List // all complaints, warnings included, by place
}

// Glance checks s as far as the checker: what code generation would find out it does not
// know, and takes no time for it.
func (e *Engine) Glance(ctx context.Context, s Script) (in Inspection, err error) {
	defer mishap.Catch(&err)
	f, p, list := e.check(ctx, &s, false)
	in = Inspection{File: f, Tree: p.Script, List: list}
	if e.Available() != nil {
		forgive(list)
	}
	return in, nil
}

// forgive makes warnings of what only these privileges keep from being known.
func forgive(list diag.List) {
	for _, d := range list {
		if d.Code == diag.ProbeZero && d.Cause == diag.NoProvider {
			d.Severity = diag.Warning // whoever may trace may find its probes
		}
	}
}

// Inspect checks s as Compile does. Where this process may not trace, it goes as
// far as the checker: what follows needs facts that the kernel keeps to itself.
func (e *Engine) Inspect(ctx context.Context, s Script) (in Inspection, err error) {
	defer mishap.Catch(&err)
	in, err = e.Glance(ctx, s)
	if err != nil || e.Available() != nil || in.List.Failed() {
		return in, err
	}
	_, err = e.Compile(ctx, s)
	var more *diag.ListError
	switch {
	case errors.As(err, &more):
		in.List = more.List
	case err != nil:
		return in, err
	}
	return in, nil
}
