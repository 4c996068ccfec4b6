package engine

import (
	"errors"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen"
)

// blame turns a refusal of the kernel's verifier into a complaint at the place
// in the script whose instructions it refused.
func blame(err *ebpf.VerifierError, c *Compiled) error {
	at, why := codegen.VerifierPlace(err, c.Object)
	var list diag.List
	list.Add(at, diag.Verifier, "the kernel refused the program: %s", why).
		Suggest("this is a mistake of dscope and not of the script; writing the action differently may help")
	return &diag.ListError{File: c.File, List: list}
}

// generated turns a refusal of the code generator into a complaint.
func generated(err error, f *token.File) error {
	var refusal *codegen.Error
	if !errors.As(err, &refusal) {
		return err
	}
	var list diag.List
	list.Add(refusal.At, diag.Unsupported, "%s", refusal.Msg)
	return &diag.ListError{File: f, List: list}
}
