package attach

import (
	"slices"
	"strings"

	"dscope.dev/probes"
)

// To hook a function the kernel patches its first bytes, in three steps, and for
// each step sets up a mapping and tears it down: a few dozen functions in all. Were
// these hooked too, each place that is patched from then on would fire some 65
// programs, which for forty thousand places is a good part of what it all costs. So
// they are hooked after all others, by links of their own, and let go before them.

// patcherFrom is the number of functions from which on that is worth a second link.
const patcherFrom = 1024

// patchers are what the kernel calls for each place that it patches, on x86-64 and
// arm64: by their names, or what these begin with if there is a star.
var patchers = [...]string{
	"text_poke*", "__text_poke*", "smp_text_poke*", "perf_event_text_poke", "insn_*", "__insn_*", "inat_*",
	"use_temporary_mm", "unuse_temporary_mm", "switch_mm*", "switch_ldt", "load_mm_ldt", "cr4_update_pce*",
	"flush_tlb_*", "native_flush_tlb_*", "__flush_tlb_*", "__get_locked_pte", "get_locked_pte", "walk_to_pmd",
	"__pte_offset_map*", "pte_offset_map*", "___pte_offset_map", "_raw_spin_lock", "_raw_spin_unlock",
	"on_each_cpu_cond_mask", "smp_call_function_many_cond", "do_sync_core",
	"aarch64_insn_*", "__aarch64_insn_*", "patch_map*", "patch_unmap", "caches_clean_inval_pou", "copy_to_kernel_nofault*",
}

// Patchers takes the functions that patch out of places, which it changes, if there
// are so many that these had better be hooked last and let go first.
func Patchers(places []Place) (others, last []Place) {
	if len(places) < patcherFrom {
		return places, nil
	}
	others = slices.DeleteFunc(places, func(p Place) bool {
		patcher := patches(&p.Hook)
		if patcher {
			last = append(last, p)
		}
		return patcher
	})
	return others, last
}

// patches reports whether h is one of the functions that patch.
func patches(h *probes.Hook) bool {
	for _, name := range patchers {
		if start, star := strings.CutSuffix(name, "*"); h.Target == name || star && strings.HasPrefix(h.Target, start) {
			return true
		}
	}
	return false
}
