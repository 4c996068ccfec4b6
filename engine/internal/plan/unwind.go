package plan

import (
	"math"

	"dscope.dev/dlang/types"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/codegen/walk"
	"dscope.dev/engine/internal/options"
)

// unwindFeatures says how programs tell processes apart whose stacks they walk by
// tables; nil if they are to leave that to the kernel.
func unwindFeatures(task *types.Struct, o *options.Options) *walk.Features {
	f := &walk.Features{
		TGID: task.OffsetOf("tgid"), ExecID: task.OffsetOf("self_exec_id"), Leader: task.OffsetOf("group_leader"), Start: task.OffsetOf("start_boottime"),
		FSBase: task.OffsetOf("thread", "fsbase"),
	}
	if o.NoUnwind || f.TGID == 0 || f.ExecID == 0 || f.Leader == 0 || f.Start == 0 {
		return nil
	}
	if f.FSBase > math.MaxInt16 { // no instruction reaches so far
		f.FSBase = 0
	}
	return f
}

// byFrames says why the stacks of processes that a script walks are walked by frame
// pointers; "" if they are not, or if there are none.
func (m *Machine) byFrames(c *Plan) string {
	switch {
	case c.Object.Maps.Unwind || onlyTestRuns(c.Units) || !codegen.WalksProcesses(c.Lowered.IR):
		return ""
	case c.Options.NoUnwind:
		return "as the option nounwind asks"
	case m.Facts.Arch != "amd64":
		return "tables are read on x86-64 only"
	}
	return "the types of this kernel do not tell what tells processes apart"
}

// Walks says how stacks of processes are walked, for -v; nothing if none are.
func (c *Plan) Walks() []string {
	const walked = "stacks of processes: "
	switch {
	case c.WhyFrames != "":
		return []string{walked + "by frame pointers, " + c.WhyFrames}
	case c.Object.Maps.Unwind:
		return []string{walked + "by the tables of their programs"}
	}
	return nil
}
