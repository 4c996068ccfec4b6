package check

import (
	"errors"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Some probes are made of others: sched:::off-cpu is the tracepoint
// sched_switch, and its argument the third of those that the tracepoint has.
// What makes the one of the other is given as D text by the Env, checked once
// for each such probe, and lowered wherever a clause reads an argument. So one
// clause may name probes that are made of different hooks: their arguments
// have the same types, and each unit computes them in its own way.

// A Derivation is how a probe is made of a hook, in D over the hook's own
// arguments.
type Derivation struct {
	ID     any          // tells derivations apart; the key of Program.Derived
	Name   string       // of the probe, for messages
	Hook   []Arg        // the arguments of the hook
	When   string       // the condition; "" if there is none
	Values []string     // of arg0, arg1, …
	Types  []types.Type // of the values
	Then   []string     // expressions that are evaluated at the end of a firing
	State  []Derivation // what other hooks do before: When and Then of each
}

// A Derived is a Derivation that was checked. All that it holds stands in the
// context of the hook: args[] and arg0 there are the hook's.
type Derived struct {
	When   ast.Expr   // nil if there is none
	Values []ast.Expr // nil where Broken says why
	Broken []string
	Then   *Clause // what is done at the end of a firing; nil if nothing is
	Err    error   // why the probe cannot be had
}

// derive checks what makes the probes of a set, and complains at d if none of
// them can be had.
func (c *checker) derive(d *ast.ProbeDesc, set *ProbeSet) {
	var err error
	failed := 0
	for i := range set.Derived {
		if e := c.derived(d, &set.Derived[i]).Err; e != nil {
			failed, err = failed+1, e
		}
	}
	if failed > 0 && failed == len(set.Derived) && set.Own == 0 {
		c.errorf(d, diag.ProbeZero, "%s cannot be traced here: %s", d.Text, err).Cause = causeOf(err)
	}
}

// derived checks one derivation, once.
func (c *checker) derived(at *ast.ProbeDesc, x *Derivation) *Derived {
	if d := c.prog.Derived[x.ID]; d != nil {
		return d
	}
	d := &Derived{}
	c.prog.Derived[x.ID] = d
	for i := range x.State {
		if s := c.derived(at, &x.State[i]); s.Err != nil && d.Err == nil {
			d.Err = s.Err
		}
	}
	h := hookText{c: c, at: at, of: x}
	// As in a clause, the condition may read what is assigned behind it.
	then := make([]ast.Stmt, len(x.Then))
	var unclear []int // those that may read what one behind them assigns, as of a call around this one
	for i, text := range x.Then {
		if v, why := h.expr(text, nil); why == "" {
			then[i] = &ast.ExprStmt{X: v, At: at.At}
		} else {
			unclear = append(unclear, i)
		}
	}
	for _, i := range unclear {
		v, why := h.expr(x.Then[i], nil)
		if why != "" {
			d.Err = errors.Join(d.Err, errors.New(why))
			continue
		}
		then[i] = &ast.ExprStmt{X: v, At: at.At}
	}
	if then != nil && d.Err == nil {
		d.Then = h.clause(&ast.Block{Stmts: then, At: at.At})
	}
	if x.When != "" {
		when, why := h.expr(x.When, nil)
		if why != "" {
			d.Err = errors.Join(d.Err, errors.New(why))
		}
		d.When = when
	}
	for i, text := range x.Values {
		v, why := h.expr(text, x.Types[i])
		d.Values, d.Broken = append(d.Values, v), append(d.Broken, why)
	}
	return d
}

// A hookText is text that speaks of the arguments of a hook.
type hookText struct {
	c  *checker
	at *ast.ProbeDesc // where the script names the probe
	of *Derivation
}

// clause returns a clause in the context of the hook.
func (h *hookText) clause(body *ast.Block) *Clause {
	return &Clause{
		AST:    &ast.Clause{Probes: []*ast.ProbeDesc{h.at}, Body: body, At: h.at.At},
		Probes: []ProbeSet{{Count: 1, Args: h.of.Hook}},
		Args:   h.of.Hook,
		InHook: true,
	}
}

// expr checks an expression that is to have type t, or any if t is nil, and
// returns it as if it stood where the script names the probe; or else why it has
// no meaning here.
func (h *hookText) expr(text string, t types.Type) (ast.Expr, string) {
	c := h.c
	f := token.NewFile(h.of.Name, "BEGIN { "+text+"; }")
	tree, list := parser.Config{IsType: c.isType}.Parse(f)
	l := &library{&lib.Item{File: h.of.Name, Line: 1}, f}
	if list.Failed() {
		return nil, l.reason(list)
	}
	x := tree.Items[0].(*ast.Clause).Body.Stmts[0].(*ast.ExprStmt).X
	h.ownNames(x)
	var from types.Type
	list = c.apart(l, func() { from = h.check(x, t) })
	if list.Failed() {
		return nil, l.reason(list)
	}
	y := ast.Clone(x, h.at.Span(), nil)
	if t != nil && !types.Identical(t, from) {
		y = &ast.Cast{Type: c.known(t, h.at.Span()), X: &ast.Paren{X: y, At: h.at.At}, At: h.at.At}
	}
	outer := c.around
	c.around = around{}
	back := c.withoutLocals()
	h.check(y, t)
	back()
	c.around = outer
	return y, ""
}

func (h *hookText) check(x ast.Expr, t types.Type) types.Type {
	c := h.c
	c.clause = h.clause(nil)
	from := c.object(x)
	if t != nil && !types.IsInvalid(from) && !types.IsScalar(types.Decay(from)) {
		c.errorf(x, diag.OpIncompat, "%s is %s and cannot be %s", c.text(x), from, t)
	}
	return from
}

// ownNames makes the variables of x those of the provider, which no script can
// name.
func (h *hookText) ownNames(x ast.Expr) {
	provider, _, _ := strings.Cut(h.of.Name, ":")
	ast.Walk(x, func(n ast.Node) bool {
		if v, ok := n.(*ast.Var); ok {
			v.Name = provider + ":" + v.Name
		}
		return true
	})
}

// brokenArg complains if a raw argument cannot be had of one of the clause's probes.
func (c *checker) brokenArg(x ast.Node, slot int) bool {
	for _, set := range c.clause.Probes {
		for _, one := range set.Derived {
			d := c.prog.Derived[one.ID]
			if d != nil && d.Err == nil && slot < len(d.Broken) && d.Broken[slot] != "" {
				c.notHere(x, diag.ArgsType, c.text(x)+" of "+one.Name, d.Broken[slot])
				return true
			}
		}
	}
	return false
}
