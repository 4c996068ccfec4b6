package tracepoint

import "dscope.dev/probes"

// spared are the tracepoints that are left out, with the reason. The kernel fires these
// where a read section of RCU ends that was meant to be short, and it has such a section
// around each program that it calls (seen on 7.2: the stack overflows).
var spared = map[string]string{
	"sched_set_need_resched_tp": endless,
	"sched_set_need_resched":    endless, // as 6.15 calls it
}

const endless = "a program that it calls ends with what makes it fire again, without end"

// Explain says why a tracepoint that the kernel has is left out.
func (p *Provider) Explain(pat probes.Pattern) string {
	if why := spared[pat.Name]; why != "" {
		return pat.Name + " is not safe to trace: " + why
	}
	return ""
}
