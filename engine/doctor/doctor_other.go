//go:build !linux

package doctor

import (
	"runtime"

	"dscope.dev/engine"
	"dscope.dev/probes/kernel"
)

func privileges(*engine.Engine) []Finding {
	return []Finding{{Name: programs, Use: "the kernel takes tracing programs of this process",
		Why: "this is " + runtime.GOOS, Remedy: "trace on Linux; here dscope edits, checks and replays"}}
}

func hooks(*kernel.Kernel, *engine.Engine) []Finding { return nil }

func files(*kernel.Kernel) []Finding { return nil }
