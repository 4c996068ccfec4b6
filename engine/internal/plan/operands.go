package plan

import (
	"dscope.dev/dlang/lower"
	"dscope.dev/probes"
)

// operands returns where a site's arguments lie, as lower wants it.
func operands(list []probes.Operand) []lower.Operand {
	if list == nil {
		return nil
	}
	all := make([]lower.Operand, len(list))
	for i, o := range list {
		all[i] = lower.Operand{
			Memory: o.Kind == probes.Memory, Kernel: o.Kernel, Size: int(o.Size), Signed: o.Signed,
			Base: register(o.Base), Index: register(o.Index), Shift: int64(o.Shift),
			PC: o.PC, Disp: o.Disp, Try: o.Try, Float: o.Float, Refused: o.Why,
		}
	}
	return all
}

func register(r probes.Register) lower.Register {
	return lower.Register{Word: int64(r.Word), Size: int(r.Size), High: r.High, Signed: r.Signed}
}
