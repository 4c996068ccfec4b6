package plan

import (
	"fmt"
	"slices"

	"dscope.dev/probes"
)

// Sealed reports whether a hook is one of those at which a sealed program may run: of what
// processes do, and of clocks. All others need the right to the kernel.
func Sealed(h probes.Hook) bool {
	switch h.Kind {
	case probes.Test, probes.Timer, probes.User:
		return true
	case probes.Tracepoint:
		return h.Select == probes.BySyscall
	}
	return false
}

// covered returns nil, or that a script has come by a hook or a provider that its asker may
// not have. The rights have been asked by name (engine/rights); this is the second door, by
// which probes that are found later come in, too.
func (m *Machine) covered(units []*Unit) error {
	for _, u := range units {
		if i := slices.IndexFunc(u.Hooks, func(h probes.Hook) bool { return !Sealed(h) }); i >= 0 && m.Seal != nil {
			return fmt.Errorf("%s needs the right kernel", HookName(u.Hooks[i]))
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
