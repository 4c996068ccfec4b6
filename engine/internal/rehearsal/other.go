//go:build !linux

package rehearsal

import (
	"context"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/engine/trace"
)

// Rehearse returns why nothing is rehearsed here.
func Rehearse(context.Context, *plan.Plan, *plan.Machine) (trace.Estimate, error) {
	return trace.Estimate{}, trial.ErrPrivileges
}
