//go:build !linux

package engine

import "dscope.dev/probes"

// awaitProgram does nothing: there are no processes to look into but on Linux.
func (*env) awaitProgram(probes.Pattern) {}
