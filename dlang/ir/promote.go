package ir

// promote keeps scratch memory in values where it is only loaded and stored as a
// whole: this-> variables that are words.
func promote(f *Func) {
	for _, a := range candidates(f) {
		p := &promotion{f: f, slot: a, end: map[*Block]*Value{}}
		p.run()
	}
	fold(f)
}

// candidates lists the allocas that can be promoted: all accesses are of one
// size, at offset 0, and the pointer goes nowhere else.
func candidates(f *Func) []*Value {
	uses := usesOf(f)
	var list []*Value
	for _, v := range f.Entry().Vals {
		if v.Op != OpAlloca {
			continue
		}
		size, ok := 0, true
		for _, u := range uses[v] {
			isAccess := u.Op == OpLoad || u.Op == OpStore && u.Args[1] != v
			ok = ok && isAccess && u.Imm == 0 && (size == 0 || u.Size == size)
			size = u.Size
		}
		if ok && size > 0 {
			list = append(list, v)
		}
	}
	return list
}

type promotion struct {
	f    *Func
	slot *Value
	end  map[*Block]*Value // the value at the end of a block
}

func (p *promotion) run() {
	type pending struct {
		b    *Block
		load *Value
	}
	var first []pending // loads before any store of their block
	for _, b := range p.f.Blocks {
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
	p.remove()
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

func (p *promotion) remove() {
	for _, b := range p.f.Blocks {
		kept := b.Vals[:0]
		for _, v := range b.Vals {
			if v == p.slot || v.Op == OpStore && v.Args[0] == p.slot {
				continue
			}
			kept = append(kept, v)
		}
		b.Vals = kept
	}
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
