package parser

import (
	"math"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// A Keeper keeps the tree of a script that somebody writes, and makes the next tree of what did
// not change: an item is read again only if its text has changed, what follows it, or what a name
// in it means. Its zero value is ready for use, by one goroutine at a time.
type Keeper struct {
	src       string
	tree      *ast.Script
	stretches []stretch // in order of place; the last is the end of the script
	round     int       // counts what was parsed
}

// mostRounds is for how many rounds an item is kept: its words are parts of the text that it
// was read from.
const mostRounds = 64

// A stretch is a part of a script from the first word of an item to that of another: what the
// parser knew when it had read that word, and what it made of the part.
type stretch struct {
	last, first     token.Token   // before the border and behind it
	scanner         scanner.State // behind first
	items, comments int           // those of the script that come before it
	uses            []use         // of names
	seen            int           // offset up to which the text was looked at
	clean           bool          // whether there was no complaint
	round           int           // in which it was read
}

// keeping is what a parser for a Keeper has besides.
type keeping struct {
	old  *Keeper
	next int // index of the first of its stretches that may be met again

	same   int // how many bytes at the beginning are the same; more than there are if all are
	tail   int // offset in the old text from where on it is the same
	behind int // how many bytes farther back the tail is now

	stretches []stretch
	errs      int  // complaints before the last of them
	taken     bool // whether one of them is an old one
}

// Parse does what Config.Parse does. It may make use of the last tree that it returned, which
// then is no tree any more.
func (k *Keeper) Parse(c Config, f *token.File) (*ast.Script, diag.List) {
	p := c.parser(f)
	old := *k
	*k = Keeper{} // unless this ends well
	if p.preprocessed {
		return p.parse()
	}
	p.keeping = newKeeping(&old, f.Src)
	p.names.logged = true
	tree, list := p.parse()
	if stretches := p.keeping.stretches; len(stretches) > 0 && stretches[len(stretches)-1].first.Kind == token.EOF {
		*k = Keeper{src: f.Src, tree: tree, stretches: stretches, round: old.round + 1}
	}
	return tree, list
}

func newKeeping(old *Keeper, src string) *keeping {
	k := &keeping{old: old, same: math.MaxInt, stretches: make([]stretch, 0, len(old.stretches)+8)}
	if old.src == src {
		return k
	}
	k.same = 0
	most := min(len(old.src), len(src))
	for k.same < most && old.src[k.same] == src[k.same] {
		k.same++
	}
	k.tail, k.behind = len(old.src), len(src)-len(old.src)
	for k.tail > len(old.src)-(most-k.same) && old.src[k.tail-1] == src[k.tail-1+k.behind] {
		k.tail--
	}
	return k
}

// border is where a stretch ends and the next begins. All stretches that stand here as they did are
// taken at once.
func (p *parser) border() {
	p.endStretch()
	for p.take() {
	}
	k := p.keeping
	k.stretches = append(k.stretches, stretch{last: p.last, first: p.tok, scanner: p.scanner.State,
		items: len(p.script.Items), comments: len(p.script.Comments), round: k.bornIn()})
	k.errs = len(p.errs)
	p.names.log = nil
}

// bornIn returns the round of a stretch that is read in this one. Of those of a new script some
// are called older, so that not all are too old at once.
func (k *keeping) bornIn() int {
	if k.taken {
		return k.old.round
	}
	return k.old.round - len(k.stretches)%mostRounds
}

// endStretch notes what the stretch that ends here was.
func (p *parser) endStretch() {
	if len(p.keeping.stretches) == 0 {
		return
	}
	r := &p.keeping.stretches[len(p.keeping.stretches)-1]
	r.uses = p.names.log
	r.seen = p.scanner.Seen()
	r.clean = len(p.errs) == p.keeping.errs && !p.errs.Full() && !p.silent && !p.unended
}

// take takes a stretch that stands here as it stood in the old text, and reports whether there is one.
func (p *parser) take() bool {
	k := p.keeping
	old, by := k.find(p)
	if old == nil || !p.names.again(old.uses) {
		return false
	}
	next := &k.old.stretches[k.next+1]
	items, comments := k.old.tree.Items[old.items:next.items], k.old.tree.Comments[old.comments:next.comments]
	if by != 0 {
		for _, it := range items {
			ast.Move(it, by)
		}
		for i := range comments {
			ast.Move(&comments[i], by)
		}
	}
	kept := *old
	kept.last, kept.first, kept.items, kept.comments = p.last, p.tok, len(p.script.Items), len(p.script.Comments)
	kept.scanner, kept.seen = p.scanner.State, old.seen+int(by)
	k.stretches = append(k.stretches, kept)
	k.next, k.taken = k.next+1, true

	p.script.Items = append(p.script.Items, items...)
	p.script.Comments = append(p.script.Comments, comments...)
	p.last, p.tok = next.last, next.first
	p.last.Span, p.tok.Span = p.last.Span.Move(by), p.tok.Span.Move(by)
	p.toks[0] = p.tok
	p.scanner.State = next.scanner.Move(int(by))
	return true
}

// find returns the old stretch that begins at the current word and was read from the same text, and
// by how much it has moved.
func (k *keeping) find(p *parser) (*stretch, token.Pos) {
	at, by := p.tok.Span.From.Offset(), 0
	if at >= k.same {
		by = k.behind
	}
	for k.next < len(k.old.stretches) && k.old.stretches[k.next].first.Span.From.Offset() < at-by {
		k.next++
	}
	if k.next+1 >= len(k.old.stretches) {
		return nil, 0
	}
	r := &k.old.stretches[k.next]
	from := r.first.Span.From.Offset()
	switch {
	case from != at-by, !p.scanner.Like(r.scanner.Move(by)), p.silent, p.unended:
	case !r.clean, k.old.round-r.round >= mostRounds:
	case by == 0 && r.seen <= k.same, from >= k.tail:
		return r, token.Pos(by)
	}
	return nil, 0
}
