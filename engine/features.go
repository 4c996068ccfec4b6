package engine

import (
	"fmt"

	"dscope.dev/dlang/types"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// features says what the code generator may use for units.
func (e *Engine) features(o *Options, units []*unit) (codegen.Features, error) {
	f := codegen.Features{
		Arch: e.facts.Arch, CPUs: len(e.facts.Possible), CompatStatus: -1,
		BufSize: o.BufSize, AggSize: o.AggSize, DynVarSize: o.DynVarSize,
	}
	if !o.Self {
		f.SelfPID = e.pid
	}
	task, err := e.target()
	if err != nil {
		return f, err
	}
	f.TaskTGID = offsetOf(task.Task, "tgid")
	f.TaskRuntime = offsetOf(task.Task, "se", "sum_exec_runtime")
	for _, u := range units {
		if len(u.hooks) > 1 {
			f.RawCookie = true // or nothing would have been shared
		}
		if u.hooks[0].Select != probes.BySyscall || f.CompatStatus >= 0 {
			continue
		}
		if f.CompatStatus, f.CompatMask, err = e.kernel.Compat(); err != nil {
			return f, fmt.Errorf("learn how this kernel marks 32-bit system calls: %w", err)
		}
	}
	return f, nil
}

// offsetOf returns the offset in bytes of a member of a member … of s, or 0 if
// there is none.
func offsetOf(s *types.Struct, path ...string) int {
	off := 0
	for _, name := range path {
		if s == nil {
			return 0
		}
		m, ok := s.Member(name)
		if !ok {
			return 0
		}
		off += m.Off / 8
		s = asStruct(m.Type)
	}
	return off
}

// hookName names a hook for the screen.
func hookName(h probes.Hook) string {
	switch h.Kind {
	case probes.Test:
		return "fired by dscope itself"
	case probes.Timer:
		return "software clock event"
	}
	return "raw tracepoint " + h.Target
}
