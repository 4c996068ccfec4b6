package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

// What an if guards is recorded or not, and yet a firing leaves one record: the
// actions of an arm share a byte of the record that says whether they were
// reached, and the reader passes over those that were not.
//
// A record is made as late and handed on as early as the script allows. Where
// only one if of a list records, its arms make records of their own, so that an
// if around a whole clause costs what a predicate costs. A clause in which
// everything runs knows nothing of this.

// A loop that records leaves a record for each round, and the clause then
// leaves several: they bear a stamp that is the same in all of them, and the last
// of them says that it is the last. No record is open while such a loop runs.

// A mode says how a statement records.
type mode uint8

const (
	silent  mode = iota // not at all
	maybe               // perhaps: an if decides
	sure                // in any case
	several             // any number of times: a loop does
)

// modeOf says how s records.
func (l *lowerer) modeOf(s ast.Stmt) mode {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return l.modeOfExpr(s.X)
	case *ast.Block:
		return l.modeOfList(s.Stmts)
	case *ast.If:
		m := l.modeOf(s.Then)
		if s.Else != nil {
			m = max(m, l.modeOf(s.Else))
		}
		if m == sure {
			return maybe
		}
		return m
	case *ast.For:
		return l.modeOfLoop(s.Body, s.Step)
	case *ast.While:
		return l.modeOfLoop(s.Body, nil)
	case *ast.DoWhile:
		return l.modeOfLoop(s.Body, nil)
	}
	return silent
}

func (l *lowerer) modeOfLoop(body ast.Stmt, step ast.Expr) mode {
	if l.modeOf(body) != silent || step != nil && l.modeOfExpr(step) != silent {
		return several
	}
	return silent
}

func (l *lowerer) modeOfList(list []ast.Stmt) mode {
	m, led := silent, false
	for _, s := range list {
		n := l.modeOf(s)
		if n == sure && led {
			n = maybe // what stands before it may have led elsewhere
		}
		m, led = max(m, n), led || l.leads(s, false)
	}
	return m
}

// modeOfExpr looks for calls that are statements: stack() records as one, as a
// key of an aggregation it does not.
func (l *lowerer) modeOfExpr(x ast.Expr) mode {
	switch x := l.prog.Means.Unparen(x).(type) {
	case *ast.Call:
		switch c := l.prog.Calls[x]; {
		case c == nil:
		case c.User != nil && c.User.Records:
			return l.modeOfList(c.User.AST.Body.Stmts)
		case c.Fn != nil && c.Fn.Records:
			return sure
		}
	case *ast.Binary:
		if x.Op == comma {
			return max(l.modeOfExpr(x.X), l.modeOfExpr(x.Y))
		}
	}
	return silent
}

// hasControl reports whether b contains a statement that may not run, or may run
// more than once.
func (l *lowerer) hasControl(b *ast.Block) bool {
	found := false
	l.walk(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.If, *ast.For, *ast.While, *ast.DoWhile, *ast.Return:
			found = true
		}
		return !found
	})
	return found
}

// beginControl begins the body of a clause in which not all statements need run.
func (f *fn) beginControl(b *ast.Block) {
	f.stop = f.Builder.Alloca(8)
	f.Store(f.stop, 0, 8, f.Const(0))
	f.frame = &frame{ret: f.Block()}
	f.whole = f.frame
	if f.modeOfList(b.Stmts) == several {
		f.fired = f.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("timestamp")})
	}
}

// endControl ends it, where return leads as well.
func (f *fn) endControl() {
	f.Jump(f.whole.ret)
	f.Go(f.whole.ret)
	if f.fired != nil {
		f.lastRecord()
	}
}

// lastRecord leaves an empty record, which says that all records of this firing
// have been left.
func (f *fn) lastRecord() {
	on, there := f.Block(), f.Block()
	rec := f.newRecord()
	f.res.Layouts[f.record].Last = true
	lost := f.ColdBlock()
	f.Branch(f.Op(ir.OpPtrEq0, rec), lost, there)
	f.Go(lost)
	f.drop(dropPrincipal)
	f.Jump(on)
	f.Go(there)
	f.rec = rec
	f.stamp()
	f.Op(ir.OpSubmit, rec)
	f.rec = nil
	f.Jump(on)
	f.Go(on)
}

// stamp writes what the records of one firing have in common: when it was.
func (f *fn) stamp() {
	off := f.alignedRoom(8)
	f.res.Layouts[f.record].Stamp = off
	f.Store(f.rec, int64(off), 8, f.fired)
}

// A region is a part of a clause that is reached or not while its record is open.
type region struct {
	flag int // offset of its byte; 0 until something is recorded in it
}

// An openRecord is a record that a list of statements has opened.
type openRecord struct {
	rec   *ir.Value
	index int       // of its layout
	start *ir.Block // ends where the record exists and nothing is written yet; nil if it has no flags
	next  *ir.Block // what follows
	flags []int     // offsets of the words that hold the bytes of regions
	used  int       // bytes that are taken of the last of them
	sure  bool      // whether something is recorded in any case
	any   *ir.Value // memory that holds 1 once something was recorded; nil if it has no flags
}

// stmts lowers statements, and opens a record for them where one must be there.
func (f *fn) stmts(list []ast.Stmt) {
	for len(list) > 0 {
		n := 0
		if f.rec == nil {
			n = f.span(list)
		}
		if n == 0 {
			f.stmt(list[0])
			f.beyond(list[0])
			list = list[1:]
			continue
		}
		outer := f.region
		f.open()
		for _, s := range list[:n] {
			f.stmt(s)
			f.beyond(s)
		}
		f.close()
		f.region = outer
		list = list[n:]
	}
}

// beyond begins a region behind a statement that may have led elsewhere.
func (f *fn) beyond(s ast.Stmt) {
	if f.opened != nil && f.leads(s, false) {
		f.region = &region{}
	}
}

// span returns how many statements share a record that the first of them needs:
// up to the last that records, but no loop that does. It is 0 if the first does not record, or if it
// alone may and so can see to it itself.
func (f *fn) span(list []ast.Stmt) int {
	first := f.modeOf(list[0])
	if first == silent || f.speculates(list[0]) { // speculate() makes the record, at its place
		return 0
	}
	last, recorders := -1, 0
	for i, s := range list {
		m := f.modeOf(s)
		if m == several {
			break
		}
		if m != silent {
			last, recorders = i, recorders+1
		}
	}
	if recorders == 1 && first == maybe {
		return 0
	}
	return last + 1
}

// speculates reports whether speculate() is called in s.
func (l *lowerer) speculates(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return l.isCall(s.X, function.Speculate)
	case *ast.Block:
		return slices.ContainsFunc(s.Stmts, l.speculates)
	case *ast.If:
		return l.speculates(s.Then) || s.Else != nil && l.speculates(s.Else)
	}
	return false
}

// openWhole makes a record of which all is reached: it needs no flags.
func (f *fn) openWhole() {
	f.reserve()
	f.opened = &openRecord{rec: f.rec, index: f.record, sure: true}
}

// open makes a record in which regions have their flags.
func (f *fn) open() {
	f.reserve()
	if f.fired != nil {
		f.stamp()
	}
	p := &openRecord{rec: f.rec, index: f.record, any: f.Builder.Alloca(8)}
	f.Store(p.any, 0, 8, f.Const(0))
	p.start, p.next = f.Cur, f.Block()
	f.Go(p.next)
	f.region, f.opened = nil, p
}

// close hands the record to the reader and clears its flags where it began.
func (f *fn) close() {
	p := f.opened
	f.handOn(p)
	r := &f.out.Records[p.index]
	r.Size = round8(r.Size)
	f.speculated(p.index, r.Size)
	f.recordBuilder = recordBuilder{}
	if p.start == nil {
		return
	}
	on := f.Cur
	f.Go(p.start)
	for _, off := range p.flags {
		f.Store(p.rec, int64(off), 8, f.Const(0))
	}
	f.Jump(p.next)
	f.Go(on)
}

// handOn submits a record, unless it turns out that nothing was recorded.
func (f *fn) handOn(p *openRecord) {
	if p.sure {
		f.submit(p.rec)
		return
	}
	some, none, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Load(p.any, 0, 8), some, none)
	f.Go(some)
	f.Op(ir.OpSubmit, p.rec)
	f.Jump(done)
	f.Go(none)
	f.Op(ir.OpDiscard, p.rec)
	f.Jump(done)
	f.Go(done)
}

// reached notes in the record that its region was reached, and returns the place
// of the note: 0 if there is no need for one.
func (f *fn) reached() int {
	switch {
	case f.opened == nil:
		return 0
	case f.region == nil:
		f.opened.sure = true
		return 0
	case f.region.flag == 0:
		f.region.flag = f.newFlag()
		f.Store(f.rec, int64(f.region.flag), 1, f.Const(1))
		f.Store(f.opened.any, 0, 8, f.Const(1))
	}
	return f.region.flag
}

// newFlag finds a byte for a region. They come eight at a time, which one
// instruction clears.
func (f *fn) newFlag() int {
	p := f.opened
	if p.used%8 == 0 {
		p.flags = append(p.flags, f.alignedRoom(8))
	}
	p.used++
	return p.flags[len(p.flags)-1] + (p.used-1)%8
}

// ifStmt lowers if (cond) then else otherwise.
func (f *fn) ifStmt(s *ast.If) {
	yes, no, done := f.Block(), f.Block(), f.Block()
	f.cond(s.Cond, yes, no)
	f.Go(yes)
	f.arm(s.Then, done)
	f.Go(no)
	if s.Else != nil {
		f.arm(s.Else, done)
	} else {
		f.Jump(done)
	}
	f.Go(done)
}

// arm lowers what an if guards and goes on at done.
func (f *fn) arm(s ast.Stmt, done *ir.Block) {
	outer := f.spot
	if f.opened != nil {
		f.region = &region{}
	}
	f.nested++
	spec := f.spec
	f.stmts([]ast.Stmt{s})
	if spec == nil && f.spec != nil { // the arm has called speculate(), and has a record of its own
		f.close()
		f.spec = nil
	}
	f.afterExit(s)
	f.spot = outer
	f.Jump(done)
}
