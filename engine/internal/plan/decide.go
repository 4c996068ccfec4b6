package plan

import (
	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
)

// decisions are what the passes of a plan write to, and what they decide by.
type decisions struct {
	units    []*codegen.Unit
	from     int               // the first unit that is new; an extension has others before
	ir       *ir.Program       // its functions name units by their place among all
	features *codegen.Features // nil for an extension, which has those of its plan
	plain    bool              // whether no function is to be hooked by trampoline
}

// A pass decides something about units.
type pass struct {
	name  string
	later bool // whether it is for extensions too
	after string
	run   func(*Machine, decisions) error
}

// passes are those of a plan, in their order.
var passes = []pass{
	{"inner", false, "", func(m *Machine, d decisions) error { m.inner(d.units, d.ir); return nil }},
	{"multi", true, "", func(m *Machine, d decisions) error { m.multi(d.units[d.from:]); return nil }},
	{"ways", true, "", func(m *Machine, d decisions) error { return m.ways(d.units[d.from:], d.plain) }},
	{"allocates", true, "", func(m *Machine, d decisions) error { return m.allocates(d.units, d.ir) }},
	{"guard", false, "ways", func(m *Machine, d decisions) error { m.guard(d.units, d.features); return nil }},
	{"frames", false, "ways", func(m *Machine, d decisions) error { m.keepFrames(d.units, d.ir); return nil }},
}

// decide runs the passes.
func (m *Machine) decide(d decisions) error {
	for _, p := range passes {
		if d.features == nil && !p.later {
			continue
		}
		if err := p.run(m, d); err != nil {
			return err
		}
	}
	return nil
}
