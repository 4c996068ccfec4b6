package drain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dscope.dev/engine/codegen"
)

// misses says which probes were skipped because another one was at work on their CPU. Where
// whole families are traced that is so all the time: it is told at once, and then ever more
// rarely.
type misses struct {
	by   map[string]uint64 // firings by probes, since it was told last
	next time.Time         // when it is told next
	gap  time.Duration     // how long after the last time that is
	last bool              // whether there will be no later time
}

// The shortest and longest time between two reports of misses.
const (
	firstGap = 2 * time.Second
	lastGap  = time.Minute
)

func (m *misses) add(n uint64, probes string) {
	if n == 0 {
		return
	}
	if m.by == nil {
		m.by = map[string]uint64{}
	}
	m.by[probes] += n
}

// due reports whether it is time to tell, and when the next time is if so.
func (m *misses) due(now time.Time) bool {
	if !m.last && now.Before(m.next) {
		return false
	}
	m.gap = min(max(2*m.gap, firstGap), lastGap)
	m.next = now.Add(m.gap)
	return true
}

// namedMisses is how many probes are named, those first that missed most.
const namedMisses = 3

// say names the probes that have missed since the last time.
func (m *misses) say() string {
	names := slices.SortedFunc(maps.Keys(m.by), func(x, y string) int {
		return cmp.Or(cmp.Compare(m.by[y], m.by[x]), cmp.Compare(x, y))
	})
	var list []string
	for _, name := range names[:min(len(names), namedMisses)] {
		if len(names) > 1 {
			name += fmt.Sprintf(" (%d)", m.by[name])
		}
		list = append(list, name)
	}
	if more := len(names) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	clear(m.by)
	return strings.Join(list, ", ")
}

// probesOf names the probes of units that have one hook.
func probesOf(units ...*codegen.Unit) string {
	first, sites := units[0], 0
	if len(first.Sites) == 0 {
		return first.Hook.Target
	}
	for _, u := range units {
		sites += len(u.Sites)
	}
	name := first.Sites[0].Probe.String()
	if more := sites - 1; more > 0 {
		name += fmt.Sprintf(" and %d others", more)
	}
	return name
}
