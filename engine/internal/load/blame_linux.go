package load

import (
	"strings"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
)

// blame turns a refusal of the kernel's verifier into a complaint at the place
// in the script whose instructions it refused.
func blame(err *ebpf.VerifierError, c *plan.Plan) error {
	at, why := codegen.VerifierPlace(err, c.Object)
	if strings.Contains(why, "too large") || strings.Contains(why, "too complex") {
		return gaveUp(at, c)
	}
	if strings.Contains(why, "16-bit range") {
		return tooLong(at, c)
	}
	var list diag.List
	list.Add(at, diag.Verifier, "the kernel refused the program: %s", why).
		Suggest("this is a mistake of dscope and not of the script; writing the action differently may help")
	return &diag.ListError{File: c.File, List: list}
}

// gaveUp complains that the verifier has found too many ways through the program.
// at is where it stopped; it need not be what costs.
func gaveUp(at token.Span, c *plan.Plan) error {
	var list diag.List
	list.Add(somewhere(at, c), diag.Verifier, "the kernel gave up here: it follows every way through a program, and these are too many").
		Suggest("conditions cost most, above all in loops: do less in each clause, or spread it over several probes")
	return &diag.ListError{File: c.File, List: list}
}

// tooLong complains that jumps do not cross a program once the kernel has put in line
// what it calls.
func tooLong(at token.Span, c *plan.Plan) error {
	var list diag.List
	list.Add(somewhere(at, c), diag.Verifier, "the clauses of one hook take more instructions than a jump of the kernel's programs can cross").
		Suggest("do less in each clause, or spread it over several probes")
	return &diag.ListError{File: c.File, List: list}
}

// somewhere returns at, or where the script begins if at is no place.
func somewhere(at token.Span, c *plan.Plan) token.Span {
	if !at.IsValid() && len(c.Program.Clauses) > 0 {
		return c.Program.Clauses[0].AST.Span()
	}
	return at
}
