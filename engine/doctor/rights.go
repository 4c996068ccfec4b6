package doctor

import "dscope.dev/engine/rights"

const titleRights = "What you may trace"

// covers is what each right is for.
var covers = map[rights.Right]string{
	rights.Own:         "your own processes: pid, probes of programs, plockstat, system calls, profile",
	rights.User:        "the same in the processes of everybody",
	rights.Kernel:      "all probes; memory and stacks of the kernel",
	rights.Destructive: "changing something there, with -w",
}

// Rights puts in front what somebody may do who asks a helper. It is known by a rule, not
// by trial.
func (r *Report) Rights(may *rights.Rights) {
	has := map[rights.Right]bool{rights.Own: may.Own, rights.User: may.User, rights.Kernel: may.Kernel, rights.Destructive: may.Destructive}
	s := Section{Title: titleRights}
	for _, name := range rights.Names {
		right := rights.Right(name)
		f := Finding{Name: name, Use: covers[right], OK: has[right]}
		if !f.OK {
			f.Why = may.Name + " has " + may.Words() + ": " + may.Source
			f.Remedy = "ask root for a rule that gives you " + name + " (dscope help users)"
		}
		s.Findings = append(s.Findings, f)
	}
	for _, l := range may.Limits() {
		s.Findings = append(s.Findings, Finding{Name: l.Name, Use: l.Means, OK: true})
	}
	r.Sections = append([]Section{s}, r.Sections...)
}

// NoHelper puts in front why nobody who is not root may trace.
func (r *Report) NoHelper(why string) {
	f := Finding{Name: "helper", Use: "traces for people who are not root", Why: why,
		Remedy: "ask root to have one started (dscope help users)"}
	r.Sections = append([]Section{{Title: titleRights, Findings: []Finding{f}}}, r.Sections...)
}
