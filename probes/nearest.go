package probes

import (
	"cmp"
	"slices"

	"dscope.dev/dlang/near"
)

// Nearest returns the few of names that are most like what was wanted, for a hint.
func Nearest(want string, names []string) []string {
	limit := slips(want)
	var list []candidate
	for _, name := range names {
		if d := near.Distance(want, name, limit); name != "" && d <= limit {
			list = append(list, candidate{name, d})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	list = slices.Compact(list)
	var nearest []string
	for _, c := range list[:min(len(list), maxNearest)] {
		nearest = append(nearest, c.name)
	}
	return nearest
}

// slips returns how many letters of a name may be wrong for it to be a hint still: one of two
// to four, two of five to eight, and then a third.
func slips(name string) int { return max(1, min(2, (len(name)+1)/3), len(name)/3) }
