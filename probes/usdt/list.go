package usdt

import (
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// Of returns the probes that a process carries in its program and libraries, by
// module. A process that has ended, or may not be looked into, has none.
func (p *Provider) Of(pid int) []probes.Probe {
	return p.process(pid, probes.Pattern{}, map[space.FileID]bool{})
}
