package engine

import (
	"github.com/cilium/ebpf"

	"dscope.dev/dlang/diag"
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
