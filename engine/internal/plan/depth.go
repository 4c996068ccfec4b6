package plan

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/engine/internal/options"
)

// shallow warns where a script asks for more frames of a stack than there will be.
// Recorded is what the kernel records of one.
func shallow(p *check.Program, most, recorded int) diag.List {
	var list diag.List
	p.Means.Walk(p.Chosen, func(n ast.Node) bool {
		x, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		c := p.Calls[x]
		if c == nil || c.Fn == nil || c.Depth <= most {
			return true
		}
		d := list.Add(x.Span(), diag.Narrow, "%s() shows %d frames at most, not %d", c.Fn.Name, most, c.Depth)
		d.Severity = diag.Warning
		switch {
		case most < min(recorded, options.MaxDepth):
			d.Suggest("option maxframes says so")
		case most == options.MaxDepth || c.Depth > options.MaxDepth:
			d.Suggest("no stack has more than %d", options.MaxDepth)
		default:
			d.Suggest("the kernel records no more: sysctl kernel.perf_event_max_stack=%d lets it, while nothing records stacks", c.Depth)
		}
		return true
	})
	return list
}
