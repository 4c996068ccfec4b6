package binary

import (
	"slices"

	"dscope.dev/dlang/types"
)

// A Param is a formal parameter of a function.
type Param struct {
	Name  string // "" if it has none
	Type  types.Type
	Where Location // when the function is entered

	result bool
}

// Params returns the parameters of f, where they are when it is entered, and what
// it returns: of several results the first. Where the debug information gives a place at the very first
// instruction, that is taken: an optimiser may have changed what a function is
// handed. Else they are where the machine's calling convention puts them (abi.go),
// unless one of the others is not: what nobody else calls need not keep to it.
func (f *Func) Params() (params []Param, result types.Type, err error) {
	params, result, lang, changed, err := f.read()
	if err != nil {
		return nil, nil, err
	}
	abi := newABI(f.d.f, lang, f.d.passedByReference)
	abi.result(result)
	places := make([]Location, len(params))
	for i, p := range params {
		places[i] = abi.next(p.Type)
		changed = changed || !f.External && p.Where.Kind == InRegister && p.Where != places[i]
	}
	for i, place := range places {
		switch {
		case params[i].Where.Kind != Nowhere:
		case changed:
			params[i].Where = Location{Why: "the compiler may have changed how the function is called"}
		default:
			params[i].Where = place
		}
	}
	return params, result, nil
}

// read reads what Params returns from the debug information. A static function that
// is a copy of one may be called in another way than that.
func (f *Func) read() (params []Param, result types.Type, lang uint64, changed bool, err error) {
	d := f.d
	defer d.ask()()
	defer guard(&err, "read parameters")
	e, _, err := d.entry(f.at)
	if err != nil {
		return nil, nil, 0, false, err
	}
	h, err := e.u.head()
	if err != nil {
		return nil, nil, 0, false, err
	}
	_, copied := e.ref(attrAbstract)
	if params, err = d.params(f.at, f.Entry, nil); err != nil {
		return nil, nil, 0, false, err
	}
	result = d.resultOf(f.at)
	if i := slices.IndexFunc(params, isResult); i >= 0 {
		params, result = params[:i], params[i].Type
	}
	return params, result, h.lang, copied && !f.External, nil
}

// isResult reports whether what is listed as a parameter is a result, as those of
// functions in Go are, behind the others.
func isResult(p Param) bool { return p.result }

// Params returns the parameters of a copy and where they are when it is entered;
// many are nowhere, because the compiler had no need of them.
func (c *Copy) Params() (params []Param, err error) {
	d := c.d
	defer d.ask()()
	defer guard(&err, "read parameters")
	frame := d.frameOf(c)
	params, err = d.params(c.at, c.Entry, frame)
	return slices.DeleteFunc(params, isResult), err
}

// frameOf returns what the locations of a copy count from, nil if that is not
// known from a register: most functions count from their frame as unwinding finds
// it.
func (d *Debug) frameOf(c *Copy) *Location {
	e, _, err := d.entry(c.Into.at)
	if err != nil {
		return nil
	}
	const attrFrameBase = 0x40
	v, ok := e.get(attrFrameBase)
	if !ok {
		return nil
	}
	expr, ok := e.u.locationAt(v, c.Entry)
	if !ok {
		return nil
	}
	l, ok := e.u.where(expr, nil)
	if !ok || l.Kind != InRegister && l.Kind != AtRegister {
		return nil
	}
	l.Kind = AtRegister
	return &l
}

// resultOf returns what a function returns.
func (d *Debug) resultOf(at ref) types.Type {
	for range mostHops {
		e, _, err := d.entry(at)
		if err != nil {
			return types.Bad
		}
		if _, ok := e.get(attrType); ok {
			return d.typeAttr(e, 0)
		}
		next, ok := e.ref(attrAbstract)
		if !ok {
			next, ok = e.ref(attrSpecification)
		}
		if !ok {
			return types.VoidType
		}
		at = next
	}
	return types.Bad
}

// params reads the parameters of a function or of a copy of one.
func (d *Debug) params(at ref, pc uint64, frame *Location) ([]Param, error) {
	e, r, err := d.entry(at)
	if err != nil {
		return nil, err
	}
	var list []Param
	var origins []ref // of what they are copies, or 0
	r.each(e, tagFormalParameter, func(k *entry) {
		of, _ := k.ref(attrAbstract)
		list, origins = append(list, d.param(k, pc, frame)), append(origins, of)
	})
	if of, ok := e.ref(attrAbstract); ok {
		return d.inOrder(list, origins, of), nil
	}
	if of, ok := e.ref(attrSpecification); ok && len(list) == 0 {
		return d.inOrder(list, origins, of), nil
	}
	return list, nil
}

// inOrder puts the parameters of a copy into the order of what it is a copy of, and
// adds those that it leaves out because nothing uses them.
func (d *Debug) inOrder(list []Param, origins []ref, of ref) []Param {
	e, r, err := d.entry(of)
	if err != nil {
		return list
	}
	var all []Param
	r.each(e, tagFormalParameter, func(k *entry) {
		if i := slices.Index(origins, k.place()); i >= 0 {
			all = append(all, list[i])
			origins[i] = altBit | altBit>>1 // taken
			return
		}
		all = append(all, Param{Name: k.text(attrName), Type: d.typeAttr(k, 0), Where: Location{Why: "the compiler left it out"}})
	})
	for i, o := range origins {
		if o != altBit|altBit>>1 {
			all = append(all, list[i])
		}
	}
	return all
}

// each calls do with the entries of a kind that belong directly to e, which was just
// read. What do is given stays valid.
func (r *reader) each(e *entry, tag uint16, do func(*entry)) {
	for n := 0; e.kids && r.c.err == nil && n < maxMembers; n++ {
		k := r.next()
		if k == nil {
			return
		}
		if k.tag == tag {
			kept := *k
			kept.vals = slices.Clone(k.vals)
			do(&kept)
		}
		r.skip(k)
	}
}

// param reads one parameter.
func (d *Debug) param(e *entry, pc uint64, frame *Location) Param {
	p := Param{Where: Location{Why: "the debug information does not say where it is"}}
	if v, ok := e.get(attrLocation); ok {
		if expr, ok := e.u.locationAt(v, pc); ok && (frame != nil || e.u.atEntry(v, expr)) {
			if l, ok := e.u.where(expr, frame); ok {
				p.Where = d.known(l)
			}
		}
	} else if v, ok := e.get(attrConstValue); ok && v.b == nil {
		p.Where = Location{Kind: Constant, Off: v.signed()}
	}
	for range mostHops {
		if p.Name == "" {
			p.Name = e.text(attrName)
		}
		p.result = p.result || e.flag(attrVariable) && e.u.isGo()
		if _, ok := e.get(attrType); ok && p.Type == nil {
			p.Type = d.typeAttr(e, 0)
		}
		of, ok := e.ref(attrAbstract)
		if !ok || p.Name != "" && p.Type != nil {
			break
		}
		var err error
		if e, _, err = d.entry(of); err != nil {
			break
		}
	}
	if p.Type == nil {
		p.Type = types.Bad
	}
	return p
}

// known returns l unless it needs a register that programs cannot see.
func (d *Debug) known(l Location) Location {
	if l.Kind != Constant && RegisterName(d.f.elf.Machine, l.Reg) == "" {
		return Location{Why: "it is in a floating-point register"}
	}
	return l
}

func (u *unit) isGo() bool {
	h, err := u.head()
	return err == nil && h.lang == langGo
}

// atEntry reports whether a location is right at the very beginning of a function:
// a list says so, but one that holds throughout is that of after the prologue
// unless it is a register's.
func (u *unit) atEntry(v value, expr []byte) bool {
	switch v.form {
	case formSecOffset, formLoclistx, formData4, formData8:
		return true
	}
	return len(expr) > 0 && expr[0] >= opReg0 && expr[0] < opBreg0
}
