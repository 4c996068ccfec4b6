// Package mishap keeps a mistake of dscope from taking away what else a person has: the
// script in the editor, the run beside it. The phases of the compiler recover by
// themselves, where they know the place (diag.Mishap); what is left is caught here, at the
// doors of the engine.
package mishap

import (
	"errors"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// Catch makes an error of a panic. It is deferred.
func Catch(err *error) {
	if why := recover(); why != nil {
		d := diag.Mishap("dscope", token.Span{}, why)
		*err = errors.New(d.Msg + "\n" + d.Hint)
	}
}

// CatchList makes a complaint of a panic, where the script begins. It is deferred.
func CatchList(list *diag.List) {
	if why := recover(); why != nil {
		*list = append(*list, diag.Mishap("dscope", token.Span{From: 1, To: 1}, why))
	}
}
