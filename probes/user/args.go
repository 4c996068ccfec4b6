package user

import (
	"fmt"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/saved"
)

// A spot is one of the places of a probe.
type spot struct {
	hook   probes.Hook
	object *object
	addr   uint64       // of the instruction, in the file's own counting
	entry  bool         // whether a function begins there
	back   bool         // whether it is about a return
	copied *binary.Copy // the copy of a function that begins there; nil if it is the function itself
}

// describe fills in the typed arguments of a site, as far as the debug information
// tells them. A struct in memory is given as its address.
func (s *spot) describe(site *probes.Site, scattered bool) {
	conv, err := s.convention()
	d, noDebug := s.object.debugInfo()
	if err != nil || noDebug != nil || conv == nil {
		return
	}
	if s.back {
		s.result(site, d)
		return
	}
	var params []binary.Param
	if s.copied != nil {
		params, err = s.copied.Params()
	} else {
		f, ok := d.FuncAt(s.addr)
		if !ok || f.Entry != s.addr {
			return
		}
		params, _, err = f.Params()
	}
	if err != nil {
		return
	}
	var extra []probes.Operand
	for _, p := range params {
		if p.Where.Kind == binary.Nowhere && s.copied != nil {
			p.Where.Why = fmt.Sprintf("%s where it was put into %s (line %d)", p.Where.Why, s.copied.Into.Full(), s.copied.Line)
		}
		t, where := saved.Shape(p)
		a := probes.Arg{Name: p.Name, Type: t, User: true}
		slot, ok := conv.Slot(where)
		switch {
		case ok && !scattered:
			a.Slot = slot
		case where.Kind == binary.Nowhere && !scattered:
			a.Why = where.Why
		default:
			a.Slot = callArgs + len(extra)
			words := saved.Words(where)
			for i := range max(len(words), (t.Size()+7)/8) { // as many at each place
				extra = append(extra, conv.Operand(words[min(i, len(words)-1)], t))
			}
		}
		site.Args = append(site.Args, a)
	}
	if len(extra) > 0 {
		site.Operands = append(conv.Usual(), extra...)
	}
}

// result types what a function returns: args[1], as args[0] would be the place of
// the instruction that returns.
func (s *spot) result(site *probes.Site, d *binary.Debug) {
	f, ok := d.FuncAt(s.addr)
	if !ok {
		return
	}
	_, result, err := f.Params()
	if err != nil || result == nil {
		return
	}
	site.Args = []probes.Arg{{Type: types.UInt64}}
	switch t := types.Resolve(result).(type) {
	case *types.Int, *types.Pointer, *types.Enum:
		site.Args = append(site.Args, probes.Arg{Type: result, Slot: 1, User: true})
	case *types.Struct:
		if t.Size() > 0 && t.Size() <= 8 {
			site.Args = append(site.Args, probes.Arg{Type: result, Slot: 1, User: true})
		}
	}
}
