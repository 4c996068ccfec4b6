package fbt

import (
	"fmt"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// Explain says why a function has no probe that somebody names: it is left out, or the
// compiler made something else of it, or the kernel does not let it be traced.
func (p *Provider) Explain(pat probes.Pattern) string {
	if pat.Function == "" || strings.Trim(pat.Function, "*") == "" || !p.MayMatch(pat) {
		return ""
	}
	funcs, err := p.kernel.Functions()
	if err != nil {
		return ""
	}
	for _, s := range funcs.Spared {
		if covers(pat, s.Function) {
			return fmt.Sprintf("%s is not safe to trace: %s", s.Name, s.Why)
		}
	}
	if strings.ContainsAny(pat.Function, `*?[\`) {
		return ""
	}
	if !p.raw && !isMade(pat.Function) {
		for _, f := range funcs.List {
			if rest, ok := strings.CutPrefix(f.Name, pat.Function); ok && strings.HasPrefix(rest, ".") && probes.Glob(pat.Module, f.Module) {
				return fmt.Sprintf("the compiler has made another function of %s, with arguments of its own: rawfbt:%s:%s:%s", pat.Function, f.Module, f.Name, pat.Name)
			}
		}
	}
	return p.untraceable(pat)
}

// covers reports whether a pattern covers a function.
func covers(pat probes.Pattern, f kernel.Function) bool {
	return probes.Glob(pat.Module, f.Module) && probes.Glob(pat.Function, f.Name)
}

// untraceable says of a function that the kernel has, and its tracer cannot patch, so
// much.
func (p *Provider) untraceable(pat probes.Pattern) string {
	syms, err := p.kernel.Symbols()
	if err != nil {
		return ""
	}
	module := pat.Module
	if module == "" {
		module = "vmlinux"
	}
	if s, ok := syms.Find(module, pat.Function); !ok || !s.IsText() {
		return ""
	}
	return fmt.Sprintf("the kernel has %s and does not let it be traced: it is marked notrace, or runs only while the kernel starts", pat.Function)
}
