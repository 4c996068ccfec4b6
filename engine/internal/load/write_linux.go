package load

import (
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/internal/trial"
)

// Memory of a process is written by a helper that a locked-down kernel has not. It
// is tried in a program of its own, so that the complaint names what was refused and
// why, and not an instruction.

// mayWrite returns a complaint if c writes to memory of processes and this kernel
// does not let it.
func mayWrite(c *plan.Plan) error {
	at := firstWrite(c.Lowered.IR)
	if at == nil || trial.MayWrite() == nil {
		return nil
	}
	why := "its lockdown or its configuration forbids the helper probe_write_user"
	if mode, _ := trial.Lockdown(); mode != "" && mode != "none" {
		why = "it is locked down (" + mode + ")"
	}
	var list diag.List
	list.Add(at.At, diag.Unsupported, "copyout() and copyoutstr() cannot be used: this kernel lets no program write to memory of a process: %s", why).
		Suggest("boot without lockdown: it comes with Secure Boot, or with lockdown= on the kernel's command line")
	return &diag.ListError{File: c.File, List: list}
}

// firstWrite returns what first writes to memory of a process, or nil.
func firstWrite(p *ir.Program) *ir.Value {
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				if v.Op == ir.OpWriteU || v.Op == ir.OpWriteUN {
					return v
				}
			}
		}
	}
	return nil
}
