package grow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
)

// summary says what was added, file by file.
func summary(units []*plan.Unit, missing map[probes.Hook]error) []string {
	type group struct{ provider, module string }
	count := map[group]int{}
	seen := map[uint32]bool{}
	for _, u := range units {
		for i, s := range u.Sites {
			if missing[u.Hooks[min(i, len(u.Hooks)-1)]] == nil && !seen[s.ID] {
				seen[s.ID] = true
				count[group{s.Probe.Provider, s.Probe.Module}]++
			}
		}
	}
	var lines []string
	for _, g := range slices.SortedFunc(maps.Keys(count), func(a, b group) int {
		return strings.Compare(a.provider+":"+a.module, b.provider+":"+b.module)
	}) {
		lines = append(lines, fmt.Sprintf("added %s of %s:%s", plural(count[g], "probe"), g.provider, g.module))
	}
	return lines
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
