package ir

import "slices"

// promote keeps working memory in values where it is only loaded and stored as a
// whole: this-> variables that are words.
func promote(f *Func) {
	dead := make([]bool, f.nextV)
	for _, c := range candidates(f) {
		p := &promotion{f: f, slot: c.slot, end: map[*Block]*Value{}}
		p.run(c.uses)
		dead[c.slot.ID] = true
		for _, v := range c.stores {
			dead[v.ID] = true
		}
	}
	for _, b := range f.Blocks {
		b.Vals = slices.DeleteFunc(b.Vals, func(v *Value) bool { return v.ID < len(dead) && dead[v.ID] })
	}
	fold(f)
}

// A candidate is an alloca that can be promoted.
type candidate struct {
	slot   *Value
	stores []*Value
	uses   []*Value // loads and stores, block by block and in their order
}

// candidates lists the allocas that can be promoted: all accesses are of one
// size, at offset 0, and the pointer goes nowhere else.
func candidates(f *Func) []candidate {
	users := allUsers(f, new(usersRoom))
	var list []candidate
	for _, v := range f.Entry().Vals {
		if v.Op != OpAlloca {
			continue
		}
		c := candidate{slot: v, uses: users[v.ID]}
		size, ok := 0, true
		for _, u := range users[v.ID] {
			isAccess := u.Op == OpLoad || u.Op == OpStore && u.Args[1] != v
			ok = ok && isAccess && u.Imm == 0 && (size == 0 || u.Size == size)
			size = u.Size
			if u.Op == OpStore {
				c.stores = append(c.stores, u)
			}
		}
		if ok && size > 0 {
			list = append(list, c)
		}
	}
	return list
}

type promotion struct {
	f    *Func
	slot *Value
	end  map[*Block]*Value // the value at the end of a block
}

func (p *promotion) run(uses []*Value) {
	var first []*Value // loads before any store of their block
	for len(uses) > 0 {
		b := uses[0].Block
		var now *Value
		for ; len(uses) > 0 && uses[0].Block == b; uses = uses[1:] {
			switch v := uses[0]; {
			case v.Op == OpStore:
				now = v.Args[1]
			case now == nil:
				first = append(first, v)
			default:
				p.replace(v, now)
			}
		}
		if now != nil {
			p.end[b] = now
		}
	}
	for _, load := range first {
		p.replace(load, p.start(load.Block))
	}
}

// replace makes load give w. A narrow load cuts what was stored.
func (p *promotion) replace(load, w *Value) {
	if load.Size == 8 {
		load.become(OpOr, w, w)
		return
	}
	size := load.Size
	load.become(OpZExt, w)
	load.Size = size
}

// start returns the value at the start of b.
func (p *promotion) start(b *Block) *Value {
	if len(b.Preds) == 0 {
		return p.undefined()
	}
	if len(b.Preds) == 1 {
		return p.atEnd(b.Preds[0])
	}
	phi := p.f.newValue(OpPhi, p.slot.At)
	phi.Block = b
	b.Vals = append([]*Value{phi}, b.Vals...)
	if p.end[b] == nil {
		p.end[b] = phi // closes loops
	}
	for _, pred := range b.Preds {
		phi.Args = append(phi.Args, p.atEnd(pred))
	}
	return phi
}

func (p *promotion) atEnd(b *Block) *Value {
	if v := p.end[b]; v != nil {
		return v
	}
	v := p.start(b)
	p.end[b] = v
	return v
}

// undefined is what was never stored.
func (p *promotion) undefined() *Value {
	return insertConst(p.f.Entry().Term(), 0)
}
