package plan

import (
	"errors"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen"
)

// generated turns a refusal of the code generator into a complaint.
func generated(err error, f *token.File) error {
	var refusal *codegen.Error
	if !errors.As(err, &refusal) {
		return err
	}
	if refusal.Mishap != nil {
		return &diag.ListError{File: f, List: diag.List{refusal.Mishap}}
	}
	var list diag.List
	list.Add(refusal.At, diag.Unsupported, "%s", refusal.Msg)
	return &diag.ListError{File: f, List: list}
}
