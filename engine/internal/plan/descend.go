package plan

import (
	"dscope.dev/dlang/check"
	"dscope.dev/probes"
)

// descend makes the probes of single processes fire in those that descend from them
// as well: their hooks are put where every process finds them, and the programs ask
// whose descendant each is. A process whose parent has ended descends from it no
// more, as in progenyof().
func descend(p *check.Program) {
	for _, c := range p.Clauses {
		for i := range c.Probes {
			sites := SitesOf(&c.Probes[i])
			all := make([]*probes.Site, len(sites))
			for j, s := range sites {
				if all[j] = s; s.Hook.Kind == probes.User && s.Hook.PID != 0 {
					wide := *s // the registry's own stays as it is
					wide.Progeny, wide.Hook.PID = s.Hook.PID, 0
					all[j] = &wide
				}
			}
			if len(all) > 0 {
				c.Probes[i].Sites = Sites(all)
			}
		}
	}
}

// progeny returns the process in which a unit fires, and in what descends from it.
func (u *Unit) progeny() int64 {
	if len(u.Sites) == 0 {
		return 0
	}
	return int64(u.Sites[0].Progeny)
}
