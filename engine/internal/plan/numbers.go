package plan

import (
	"slices"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// mostNumbers is how many probes a Number names.
const mostNumbers = 4

// Numbers returns the raw arguments that are no addresses at some of the sites, where another
// one leads to a text of the process.
func Numbers(sites []*probes.Site) (list []check.Number) {
	for _, s := range sites {
		text := slices.IndexFunc(s.Args, leadsToText)
		if text < 0 || s.Derived != nil {
			continue
		}
		for _, a := range s.Args {
			if t := types.Resolve(types.Decay(a.Type)); !types.IsInteger(t) || t.Size() > 4 {
				continue
			}
			i := slices.IndexFunc(list, func(n check.Number) bool { return n.Slot == a.Slot })
			if i < 0 {
				i, list = len(list), append(list, check.Number{Slot: a.Slot, Name: a.Name, Text: s.Args[text].Slot, Path: s.Args[text].Name})
			}
			if n := &list[i]; len(n.Probes) < mostNumbers {
				n.Probes = append(n.Probes, s.Probe.Provider+"::"+s.Probe.Function+":"+s.Probe.Name)
			} else {
				n.More++
			}
		}
	}
	return list
}

// leadsToText reports whether an argument points to characters of the process.
func leadsToText(a probes.Arg) bool {
	p, ok := types.Resolve(types.Decay(a.Type)).(*types.Pointer)
	return ok && a.User && types.IsInteger(types.Resolve(p.Elem)) && types.Resolve(p.Elem).Size() == 1
}
