package ui

import "slices"

// A shape is what the user has made of the layout: a tree of parts for each kind of
// screen, and whether one pane has it all.
type shape struct {
	usual, wide part
	zoom        bool
}

// A part of the screen is a slot, or a split: parts that stand side by side or below
// one another.
type part struct {
	slot   slot
	closed bool   // it is a slot that the user has no use for
	parts  []part // nil if it is a slot
	down   bool   // they stand below one another

	share int // of the split that it is in, in thousandths; 0 takes what the others leave

	// What the screen settles until somebody drags a border of the split.
	most    int  // cells
	dragged bool // of a split: the shares are the user's
}

// defaultShape is the layout until somebody drags a border.
var defaultShape = shape{
	usual: part{parts: []part{
		{slot: browserSlot, share: 270, most: 40},
		{down: true, parts: []part{{slot: editorSlot, share: 360}, {slot: liveSlot, share: 360}, {slot: outputSlot}}},
	}},
	wide: part{parts: []part{
		{slot: browserSlot, share: 270, most: 40},
		{down: true, parts: []part{{slot: editorSlot, share: 560}, {slot: outputSlot}}},
		{slot: liveSlot, share: 420},
	}},
}

// tree returns the tree that a screen of w columns has.
func (s *shape) tree(w int) *part {
	if w < wideWidth {
		return &s.usual
	}
	return &s.wide
}

// with returns the shape after a change to the tree of a screen of w columns; s stays
// as it is.
func (s shape) with(w int, change func(*part)) shape {
	t := s.tree(w)
	*t = t.clone()
	change(t)
	return s
}

// change returns the shape after a change to the trees of all screens; s stays as it is.
func (s shape) change(change func(*part)) shape {
	for _, w := range []int{0, wideWidth} {
		s = s.with(w, change)
	}
	return s
}

// closed reports whether a slot has no place.
func (s *shape) closed(which slot) bool {
	return slices.ContainsFunc(s.usual.leaves(), func(p *part) bool { return p.slot == which && p.closed })
}

// close returns the shape without a slot, or with it again.
func (s shape) close(which slot, closed bool) shape {
	return s.change(func(t *part) {
		for _, p := range t.leaves() {
			if p.slot == which {
				p.closed = closed
			}
		}
	})
}

// swap returns the shape of a screen of w columns in which two slots stand in each other's place.
func (s shape) swap(w int, a, b slot) shape {
	return s.with(w, func(t *part) {
		for _, p := range t.leaves() {
			switch p.slot {
			case a:
				p.slot = b
			case b:
				p.slot = a
			}
		}
	})
}

// open returns the slots that are shown on a screen of w columns, as one reads them.
func (s *shape) open(w int) (list []slot) {
	for _, p := range s.tree(w).leaves() {
		if !p.closed {
			list = append(list, p.slot)
		}
	}
	return list
}

func (p part) clone() part {
	p.parts = slices.Clone(p.parts)
	for i := range p.parts {
		p.parts[i] = p.parts[i].clone()
	}
	return p
}

func (p *part) leaf() bool { return p.parts == nil }

// gone reports whether nothing of p is shown.
func (p *part) gone() bool {
	if p.leaf() {
		return p.closed
	}
	return !slices.ContainsFunc(p.parts, func(kid part) bool { return !kid.gone() })
}

// shown returns the indices of the parts that are there.
func (p *part) shown() (list []int) {
	for i := range p.parts {
		if !p.parts[i].gone() {
			list = append(list, i)
		}
	}
	return list
}

// leaves returns the slots of p, as one reads them.
func (p *part) leaves() (list []*part) {
	if p.leaf() {
		return []*part{p}
	}
	for i := range p.parts {
		list = append(list, p.parts[i].leaves()...)
	}
	return list
}

// line is how many cells stand between two parts: below one another the title of a
// pane is border enough.
func (p *part) line() int {
	if p.down {
		return 0
	}
	return 1
}

// holds reports whether a slot is somewhere in p.
func (p *part) holds(s slot) bool {
	if p.leaf() {
		return p.slot == s
	}
	return slices.ContainsFunc(p.parts, func(kid part) bool { return kid.holds(s) })
}

// least returns the cells below which p is no use, in height or in width.
func (p *part) least(down bool) int {
	n := leastColumn
	if down {
		n = leastRows
	}
	if p.leaf() {
		return n
	}
	n = 0
	for at, i := range p.shown() {
		kid := p.parts[i].least(down)
		if p.down != down {
			n = max(n, kid)
			continue
		}
		n += kid
		if at > 0 {
			n += p.line()
		}
	}
	return n
}

// sizes shares out whole cells, lines between them included, to the parts of a split
// that are shown. Those with a share come first, one after the other, each leaving the
// others their least; what is left over goes to the one without, or else to the last.
func (p *part) sizes(whole int, front slot) []int {
	out, shown := make([]int, len(p.parts)), p.shown()
	room := whole - (len(shown)-1)*p.line()
	owed := 0 // the least of those that have nothing yet
	rest := shown[len(shown)-1]
	for _, i := range shown {
		owed += p.parts[i].least(p.down)
		if p.parts[i].share == 0 {
			rest = i
		}
	}
	for _, i := range shown {
		if i == rest {
			continue
		}
		kid := &p.parts[i]
		least := kid.least(p.down)
		size := p.shareOf(i, whole, front) * whole / 1000
		if !p.dragged && kid.most > 0 {
			size = min(size, kid.most)
		}
		owed -= least
		out[i] = max(min(size, room-owed), least)
		room -= out[i]
	}
	out[rest] = max(room, 0)
	return out
}

// shareOf returns the share of a part. On a low screen a column of three that
// nobody has dragged favours the one in front.
func (p *part) shareOf(i, whole int, front slot) int {
	share, n := p.parts[i].share, len(p.shown())
	if !p.down || p.dragged || n < 3 || whole >= lowRows || share == 0 {
		return share
	}
	if p.parts[i].holds(front) {
		return 2000 / (n + 1)
	}
	return 1000 / (n + 1)
}

// drag makes the part before a border size cells long. What it gains, the part behind
// the border loses; all others stay.
func (p *part) drag(b border, size int) {
	for _, i := range []byte(b.path) {
		p = &p.parts[i]
	}
	sizes, both := slices.Clone(b.sizes), b.sizes[b.at]+b.sizes[b.behind]
	size = max(min(size, both-p.parts[b.behind].least(p.down)), p.parts[b.at].least(p.down))
	sizes[b.at], sizes[b.behind] = size, both-size
	for _, i := range p.shown() {
		if kid := &p.parts[i]; kid.share > 0 { // rounded up, so that it comes out as the size that it is
			kid.share = max((sizes[i]*1000+b.whole-1)/b.whole, 1)
		}
	}
	p.dragged = true
}
