package load

import (
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
)

// attachUser attaches one program to all places of processes that a unit has.
func (k *Loaded) attachUser(prog *ebpf.Program, u *codegen.Unit, missing map[probes.Hook]error) (attach.Group, string, error) {
	if plan.IsPattern(u.Hook) {
		return nil, "", nil
	}
	cookies := make([]uint64, len(u.Hooks))
	for i := range cookies {
		cookies[i] = uint64(u.Sites[min(i, len(u.Sites)-1)].Key)
	}
	if !u.Multi {
		links, err := k.files.User(u.Hooks, cookies, prog, missing)
		return links, described(u, len(links), "uprobe of perf"), err
	}
	links, err := k.files.UserMulti(u.Hooks, cookies, prog, missing)
	return links, described(u, len(links), "uprobe_multi"), err
}

// described says how a unit was attached.
func described(u *codegen.Unit, links int, how string) string {
	switch {
	case links == 0:
		return ""
	case len(u.Hooks) == 1:
		return u.Hook.String() + ": " + how
	}
	return fmt.Sprintf("%s and %d others: %s, one program, %d links", u.Hook, len(u.Hooks)-1, how, links)
}
