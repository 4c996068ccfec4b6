package plan

import (
	"fmt"
	"slices"

	"dscope.dev/probes"
)

// covered returns nil, or that a script has come by a hook or a provider that its asker may
// not have. The rights have been asked by name (engine/rights); this is the second door, by
// which probes that are found later come in, too.
func (m *Machine) covered(units []*Unit) error {
	for _, u := range units {
		if i := slices.IndexFunc(u.Hooks, func(h probes.Hook) bool { return !h.Sealed() }); i >= 0 && m.Seal != nil {
			return fmt.Errorf("%s needs the right kernel", u.Hooks[i].Way())
		}
		if m.Provides == nil || u.Special != "" {
			continue
		}
		for _, s := range u.Sites {
			if !m.Provides(s.Probe.Provider) {
				return fmt.Errorf("%s is of provider %s, which is not allowed", s.Probe.String(), s.Probe.Provider)
			}
		}
	}
	return nil
}
