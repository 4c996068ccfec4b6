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
	slot  slot
	parts []part // nil if it is a slot
	down  bool   // they stand below one another

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

func (p part) clone() part {
	p.parts = slices.Clone(p.parts)
	for i := range p.parts {
		p.parts[i] = p.parts[i].clone()
	}
	return p
}

func (p *part) leaf() bool { return p.parts == nil }

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
	for i := range p.parts {
		kid := p.parts[i].least(down)
		if p.down != down {
			n = max(n, kid)
			continue
		}
		n += kid
		if i > 0 {
			n += p.line()
		}
	}
	return n
}

// sizes shares out whole cells, lines between them included, to the parts of a split.
// Those with a share come first, one after the other, each leaving the others their
// least; what is left over goes to the one without.
func (p *part) sizes(whole int, front slot) []int {
	out := make([]int, len(p.parts))
	room := whole - (len(p.parts)-1)*p.line()
	owed := 0 // the least of those that have nothing yet
	for i := range p.parts {
		owed += p.parts[i].least(p.down)
	}
	rest := -1
	for i := range p.parts {
		kid := &p.parts[i]
		share := p.shareOf(i, whole, front)
		if share == 0 {
			rest = i
			continue
		}
		least := kid.least(p.down)
		size := share * whole / 1000
		if !p.dragged && kid.most > 0 {
			size = min(size, kid.most)
		}
		owed -= least
		out[i] = max(min(size, room-owed), least)
		room -= out[i]
	}
	if rest >= 0 {
		out[rest] = max(room, 0)
	}
	return out
}

// shareOf returns the share of a part. On a low screen a column of three that
// nobody has dragged favours the one in front.
func (p *part) shareOf(i, whole int, front slot) int {
	share, n := p.parts[i].share, len(p.parts)
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
	sizes, both := slices.Clone(b.sizes), b.sizes[b.at]+b.sizes[b.at+1]
	size = max(min(size, both-p.parts[b.at+1].least(p.down)), p.parts[b.at].least(p.down))
	sizes[b.at], sizes[b.at+1] = size, both-size
	for i := range p.parts {
		if kid := &p.parts[i]; kid.share > 0 { // rounded up, so that it comes out as the size that it is
			kid.share = max((sizes[i]*1000+b.whole-1)/b.whole, 1)
		}
	}
	p.dragged = true
}
