package plan

import (
	"time"

	"dscope.dev/engine/internal/trial"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kinst"
)

// A Machine is what a plan is made for.
type Machine struct {
	Kernel       *kernel.Kernel
	Facts        kernel.Facts
	Trials       *trial.Trials
	Patience     time.Duration   // after which a start says what it waits for
	Instructions *kinst.Provider // which knows the copies of inlined functions that cannot be traced
}
