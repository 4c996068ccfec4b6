package usdt

import (
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// Of returns the probes that a process carries in its program and libraries, by
// module. A process that has ended, or may not be looked into, has none. With an error,
// which wraps scout.ErrSilent, there may be more in a file that it names.
func (p *Provider) Of(pid int) ([]probes.Probe, error) {
	return p.process(pid, probes.Pattern{}, map[space.FileID]bool{})
}
