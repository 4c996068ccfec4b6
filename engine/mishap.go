package engine

import (
	"errors"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// What a person asks of the engine may fail, and must not take away what else they
// have: the script in the editor, the run beside it. The phases of the compiler
// recover by themselves, where they know the place (diag.Mishap); these catch what
// is left, at the doors of the engine.

// recovered makes an error of a panic. It is deferred.
func recovered(err *error) {
	if why := recover(); why != nil {
		d := diag.Mishap("dscope", token.Span{}, why)
		*err = errors.New(d.Msg + "\n" + d.Hint)
	}
}

// recoveredList makes a complaint of a panic, where the script begins. It is deferred.
func recoveredList(list *diag.List) {
	if why := recover(); why != nil {
		*list = append(*list, diag.Mishap("dscope", token.Span{From: 1, To: 1}, why))
	}
}
