package ir

import "slices"

// promote keeps scratch memory in values where it is only loaded and stored as a
// whole: this-> variables that are words.
func promote(f *Func) {
	dead := make([]bool, f.nextV)
	for _, c := range candidates(f) {
		p := &promotion{f: f, slot: c.slot, end: map[*Block]*Value{}}
		p.run(c.blocks)
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
	blocks []*Block // where it is used, each once
}

// candidates lists the allocas that can be promoted: all accesses are of one
// size, at offset 0, and the pointer goes nowhere else.
func candidates(f *Func) []candidate {
	users := allUsers(f)
	var list []candidate
	for _, v := range f.Entry().Vals {
		if v.Op != OpAlloca {
			continue
		}
		c := candidate{slot: v}
		size, ok := 0, true
		for _, u := range users[v.ID] {
			isAccess := u.Op == OpLoad || u.Op == OpStore && u.Args[1] != v
			ok = ok && isAccess && u.Imm == 0 && (size == 0 || u.Size == size)
			size = u.Size
			if u.Op == OpStore {
				c.stores = append(c.stores, u)
			}
			if n := len(c.blocks); n == 0 || c.blocks[n-1] != u.Block {
				c.blocks = append(c.blocks, u.Block)
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

func (p *promotion) run(blocks []*Block) {
	type pending struct {
		b    *Block
		load *Value
	}
	var first []pending // loads before any store of their block
	for _, b := range blocks {
		var now *Value
		for _, v := range b.Vals {
			switch {
			case v.Op == OpStore && v.Args[0] == p.slot:
				now = v.Args[1]
			case v.Op == OpLoad && v.Args[0] == p.slot && now == nil:
				first = append(first, pending{b, v})
			case v.Op == OpLoad && v.Args[0] == p.slot:
				p.replace(v, now)
			}
		}
		if now != nil {
			p.end[b] = now
		}
	}
	for _, l := range first {
		p.replace(l.load, p.start(l.b))
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
