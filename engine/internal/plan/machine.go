package plan

import (
	"io"
	"time"

	"dscope.dev/dlang/lower"
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

	// What is so in a session of a helper; the zero values are root's.
	Seal     *lower.Seal               // what keeps programs to what the asker may see; nil if that is all
	Provides func(string) bool         // whether a provider may be used; nil if all may
	Most     int64                     // bytes that the tables and buffers of a run may take; 0 is what the machine has
	AskerPID int                       // the process that shows what is traced; 0 is this one
	Stats    func() (io.Closer, error) // has the kernel time programs until it is closed; nil if the process may
}
