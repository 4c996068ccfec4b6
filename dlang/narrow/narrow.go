// Package narrow puts conditions into a script, so that an aggregation takes in no more
// than some of the firings: those that a person has selected on the screen.
//
// The condition goes into the predicate of the clause, which is made if there is none:
//
//	syscall::read:return /self->ts/ { … }
//	syscall::read:return /self->ts && execname == "nginx"/ { … }
//
// There it keeps the whole clause from firings that are not meant, and costs them least.
// It goes around the aggregation alone, as an if, where the predicate would not do:
//
//   - the clause computes what the condition asks about, so it is known later;
//   - the clause sets variables of threads or of the script. Other firings, and what they
//     find in them, must not change with the selection: an entry clause relies on
//     self->ts = 0 of the return clause;
//   - the aggregation stands in a function.
//
// Nothing but these words is added: comments and layout stay. What was asked about already
// is not asked twice, and a text of which the result would not say what is meant is refused.
package narrow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A Change asks that the assignment to an aggregation which stands at [From, To) of the
// script, in bytes, happens only if Cond is true, an expression of D.
type Change struct {
	From, To int
	Cond     string
}

// An Edit replaces the bytes [From, To) of the script.
type Edit struct {
	From, To int
	Text     string
}

// ErrAlready says that the script asks for all conditions already.
var ErrAlready = errors.New("the script keeps no more than that already")

// Add returns the edits that make the changes, in the order of the text.
func Add(script string, changes []Change) ([]Edit, error) {
	tree, list := parser.Parse(token.NewFile("script", script))
	if len(list) > 0 {
		return nil, fmt.Errorf("the script has a mistake, which comes first: %s", list[0].Msg)
	}
	var edits []Edit
	var places []*place
	for _, c := range changes {
		p, err := find(tree, c)
		if err != nil {
			return nil, err
		}
		for _, other := range places { // one predicate cannot ask each of them something else
			if p.clause != nil && other.clause == p.clause && other.text != p.text {
				p.alone, other.alone = true, true
			}
		}
		places = append(places, p)
	}
	for _, p := range places {
		for _, e := range p.edits(script) {
			if !slices.Contains(edits, e) { // of two aggregations in one clause
				edits = append(edits, e)
			}
		}
	}
	if len(edits) == 0 {
		return nil, ErrAlready
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	return edits, verify(tree, Apply(script, edits), changes)
}

// Apply makes edits that do not overlap, in the order of the text.
func Apply(script string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(script[at:e.From])
		b.WriteString(e.Text)
		at = e.To
	}
	b.WriteString(script[at:])
	return b.String()
}

// ask leaves those parts of the condition that are to be put in.
func (p *place) ask(parts []ast.Expr) {
	texts := make([]string, len(parts))
	for i, x := range parts {
		s := x.Span()
		texts[i] = p.text[s.From.Offset()-len(opening) : s.To.Offset()-len(opening)]
	}
	if len(parts) < len(conjuncts(p.cond)) {
		p.text = All(texts...)
		p.cond, _ = expr(p.text) // which consists of what has been read
	}
}

// A place is what has to be known of a change to make it.
type place struct {
	cond   ast.Expr
	text   string // of the condition
	agg    *ast.AggAssign
	clause *ast.Clause // nil in a function
	body   *ast.Block  // of the clause or the function
	parent ast.Node    // what the assignment stands in: a block, an if, a loop
	alone  bool        // others in the clause are asked something else
}

// find finds the place of a change.
func find(tree *ast.Script, c Change) (*place, error) {
	p := &place{text: strings.TrimSpace(c.Cond)}
	cond, err := expr(p.text)
	if err != nil {
		return nil, err
	}
	p.cond = cond
	if name := effect(cond); name != "" {
		return nil, fmt.Errorf("%s changes something each time it is looked at, so it cannot be asked about", name)
	}
	want := token.Span{From: token.Pos(c.From) + 1, To: token.Pos(c.To) + 1}
	for _, item := range tree.Items {
		switch item := item.(type) {
		case *ast.Clause:
			if item.Body != nil && p.search(item.Body, want) {
				p.clause = item
				return p, nil
			}
		case *ast.FuncItem:
			if p.search(item.Body, want) {
				return p, nil
			}
		}
	}
	return nil, errors.New("the script has changed: the aggregation is not where it was when the run began")
}

// search looks for the assignment, and what it stands in.
func (p *place) search(body *ast.Block, want token.Span) bool {
	var parents []ast.Node
	ast.Walk(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Block, *ast.If, *ast.For, *ast.While, *ast.DoWhile:
			parents = append(parents, n)
		case *ast.AggAssign:
			if n.Span() == want {
				p.agg = n
			}
		}
		return p.agg == nil
	})
	if p.agg == nil {
		return false
	}
	p.body, p.parent = body, body
	for _, n := range parents { // the innermost comes last
		if s := n.Span(); s.From <= want.From && want.To <= s.To {
			p.parent = n
		}
	}
	return true
}

// edits returns what makes the change; nothing if the script says so already.
func (p *place) edits(script string) []Edit {
	missing := p.missing()
	if len(missing) == 0 {
		return nil
	}
	p.ask(missing)
	if p.clause != nil && !p.alone && !p.isLater() && !p.setsState() {
		return p.predicate(script)
	}
	return p.guard(script)
}

// predicate extends or makes the predicate of the clause.
func (p *place) predicate(script string) []Edit {
	cond := fenced(p.text, p.cond)
	if pred := p.clause.Pred; pred != nil {
		return append(wrap(pred), insert(int(pred.Span().To)-1, " && "+cond))
	}
	last := p.clause.Probes[len(p.clause.Probes)-1].Span()
	at := int(last.To) - 1
	before := " "
	if between := script[at:p.body.Span().From.Offset()]; strings.Contains(between, "\n") {
		before = "\n"
	}
	after := ""
	if c := script[at]; c != ' ' && c != '\t' && c != '\n' {
		after = " "
	}
	return []Edit{insert(at, before+"/"+cond+"/"+after)}
}

// guard puts an if around the assignment, or extends the one that is around it alone.
func (p *place) guard(script string) []Edit {
	if outer, ok := p.parent.(*ast.If); ok && outer.Else == nil && outer.Then == ast.Stmt(p.agg) && !p.within(outer.Cond) {
		at := int(outer.Cond.Span().To) - 1
		return append(wrap(outer.Cond), insert(at, " && "+tight(p.text, p.cond)))
	}
	s := p.agg.Span()
	before, after := "if ("+p.text+") ", ""
	if _, ok := p.parent.(*ast.Block); !ok { // an else behind it must not become that of this if
		before, after = "{ "+before, " }"
	}
	if text := script[s.From.Offset():s.To.Offset()]; !strings.HasSuffix(text, ";") {
		after = ";" + after
	}
	edits := []Edit{insert(s.From.Offset(), before)}
	if after != "" {
		edits = append(edits, insert(s.To.Offset(), after))
	}
	return edits
}

// within reports whether the assignment stands inside of x: it cannot.
func (p *place) within(x ast.Expr) bool {
	s, a := x.Span(), p.agg.Span()
	return s.From <= a.From && a.To <= s.To
}

// wrap puts parentheses around an expression that && would take apart.
func wrap(x ast.Expr) []Edit {
	if !isLoose(x) {
		return nil
	}
	s := x.Span()
	return []Edit{insert(s.From.Offset(), "("), insert(s.To.Offset(), ")")}
}

func insert(at int, text string) Edit { return Edit{at, at, text} }

// verify reads the result: it has to be a script in which each of the assignments is asked
// for what it should be.
func verify(before *ast.Script, result string, changes []Change) error {
	bad := errors.New("the condition cannot be written where the aggregation stands: make the assignment an action by itself")
	after, list := parser.Parse(token.NewFile("script", result))
	was, is := assigns(before), assigns(after)
	if len(list) > 0 || len(was) != len(is) {
		return bad
	}
	for _, c := range changes {
		p, err := find(before, c)
		if err != nil {
			return err
		}
		now := is[slices.Index(was, p.agg)].Span()
		q, err := find(after, Change{now.From.Offset(), now.To.Offset(), c.Cond})
		if err != nil || !ast.Equal(p.agg, q.agg) || len(q.missing()) > 0 {
			return bad
		}
	}
	return nil
}

// assigns returns all assignments to aggregations.
func assigns(tree *ast.Script) (out []*ast.AggAssign) {
	ast.Walk(tree, func(n ast.Node) bool {
		if a, ok := n.(*ast.AggAssign); ok {
			out = append(out, a)
		}
		return true
	})
	return out
}
