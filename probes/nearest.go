package probes

import (
	"cmp"
	"slices"
)

// Nearest returns the few of names that are most like what was wanted, for a hint.
func Nearest(want string, names []string) []string {
	limit := max(1, min(2, len(want)-1), len(want)/3)
	var list []candidate
	for _, name := range names {
		if d := distance(want, name, limit); name != "" && d <= limit {
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
