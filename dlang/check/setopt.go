package check

import (
	"strconv"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/option"
)

// setopt checks what can be told before the script runs. As in DTrace an option
// that does not exist, or that cannot change any more, stops nothing: the run
// complains where the action fires. So this only warns.
func (c *checker) setopt(p *pending) {
	name, ok := c.prog.Strings[p.ast.Args[0]]
	value, constant := "", true
	if len(p.ast.Args) > 1 {
		value, constant = c.prog.Strings[p.ast.Args[1]]
	}
	if !ok || name == "" {
		return
	}
	if constant {
		p.info.Option, p.info.Value = name, value
	}
	o := option.Find(name)
	switch {
	case o == nil:
		say := c.warn(p.ast.Args[0], diag.PragmaOption, "there is no option %s: this complains when it fires", name)
		if near := nearest(name, option.Names()); near != "" {
			say.Suggest("did you mean %s?", near).Instead(p.ast.Args[0].Span(), strconv.Quote(near))
		}
	case o.Time != option.Dynamic:
		c.warn(p.ast.Args[0], diag.PragmaOption, "option %s cannot change while tracing: this complains when it fires", name).
			Suggest("set it before: #pragma D option %s=…", name)
	case constant:
		if err := ValidOption(o, value); err != nil {
			badOption(c.warn(p.ast, diag.PragmaOption, "failed to set option '%s' to '%s': %s", name, value, reason(err)), err)
		}
	}
}
