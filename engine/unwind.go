package engine

import (
	"dscope.dev/dlang/types"
	"dscope.dev/engine/codegen"
)

// unwindFeatures says how programs tell processes apart whose stacks they walk by
// tables; nil if they are to leave that to the kernel.
func unwindFeatures(task *types.Struct, o *Options) *codegen.UnwindFeatures {
	f := &codegen.UnwindFeatures{
		ExecID: offsetOf(task, "self_exec_id"), Leader: offsetOf(task, "group_leader"), Start: offsetOf(task, "start_boottime"),
	}
	if o.NoUnwind || f.ExecID == 0 || f.Leader == 0 || f.Start == 0 {
		return nil
	}
	return f
}
