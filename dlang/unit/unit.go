// Package unit knows in what a script counts, as far as the script says so, and writes
// such values as people read them.
package unit

import (
	"math"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// A Unit is what values are counted in.
type Unit uint8

// The units.
const (
	None Unit = iota // not known
	Nanoseconds
	Microseconds
	Milliseconds
	Seconds
)

// clocks are D's variables that tell a time in nanoseconds.
var clocks = map[string]bool{"timestamp": true, "vtimestamp": true, "walltimestamp": true}

// Of returns the unit of an expression of D: that of a time if it takes one reading of a
// clock from another, timestamp - self->ts, and perhaps divides by a power of a thousand.
// Of what is not surely a time it says nothing.
func Of(expr string) Unit {
	const head = "BEGIN { x = ("
	tree, list := parser.Parse(token.NewFile("", head+expr+"); }"))
	if list.Failed() || len(tree.Items) != 1 {
		return None
	}
	clause, ok := tree.Items[0].(*ast.Clause)
	if !ok || clause.Body == nil || len(clause.Body.Stmts) != 1 {
		return None
	}
	s, ok := clause.Body.Stmts[0].(*ast.ExprStmt)
	if !ok {
		return None
	}
	a, ok := s.X.(*ast.Assign)
	if !ok {
		return None
	}
	return of(a.Y)
}

func of(x ast.Expr) Unit {
	switch x := ast.Unparen(x).(type) {
	case *ast.Cast:
		return of(x.X)
	case *ast.Binary:
		switch x.Op {
		case token.Minus:
			if isClock(x.X) || isClock(x.Y) {
				return Nanoseconds
			}
		case token.Slash:
			return divided(of(x.X), x.Y)
		}
	}
	return None
}

func isClock(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && clocks[id.Name]
}

// divided returns the unit of values in u that are divided by a constant.
func divided(u Unit, by ast.Expr) Unit {
	n, ok := ast.Unparen(by).(*ast.Int)
	if !ok || u == None {
		return None
	}
	for v := n.Value; v > 1; v /= 1000 {
		if v%1000 != 0 || u == Seconds {
			return None
		}
		u++
	}
	if n.Value == 0 {
		return None
	}
	return u
}

// Agreed returns the unit of all the expressions, None if they differ.
func Agreed(exprs []string) Unit {
	for i, e := range exprs {
		if u := Of(e); u == None || i > 0 && u != Of(exprs[0]) {
			return None
		}
	}
	if len(exprs) == 0 {
		return None
	}
	return Of(exprs[0])
}

// scale is how people write numbers: of times in seconds, of others in thousands.
var (
	times = []struct {
		name string
		size float64 // ns
	}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	plain = []struct {
		name string
		size float64
	}{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}}
)

// Range writes the values from low up to high, both included, as a bucket of a histogram
// has them: 32.8–65.5us. What has no end is written <100 or ≥100. Three digits are all
// that is claimed. Join stands between the two.
func (u Unit) Range(low, high int64, join string) string {
	switch {
	case low == math.MinInt64 && high == math.MaxInt64:
		return "any"
	case low == math.MinInt64:
		return "<" + u.spell(float64(high)+1, float64(high)+1)
	case high == math.MaxInt64:
		return "≥" + u.spell(float64(low), float64(low))
	case low == high:
		return u.spell(float64(low), float64(low))
	case high < 0: // farther from zero on the left
		return u.number(float64(low), float64(low)) + join + u.spell(float64(high)+1, float64(low))
	}
	return u.number(float64(low), float64(high)+1) + join + u.spell(float64(high)+1, float64(high)+1)
}

// Label writes where such a bucket begins: 32.8us.
func (u Unit) Label(low, high int64) string {
	if low == math.MinInt64 || high == math.MaxInt64 {
		return u.Range(low, high, "")
	}
	return u.spell(float64(low), float64(low))
}

// spell writes v with its unit, in the scale that fits like.
func (u Unit) spell(v, like float64) string {
	_, name := u.pick(like)
	return u.number(v, like) + name
}

// number writes v in the scale that fits like, without the unit.
func (u Unit) number(v, like float64) string {
	size, _ := u.pick(like)
	v /= size
	if u != None {
		v *= u.nanos()
	}
	digits := 0
	switch a := math.Abs(v); {
	case a == math.Trunc(a) && a < 1e6:
	case a < 9.995:
		digits = 2
	case a < 99.95:
		digits = 1
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func (u Unit) nanos() float64 { return times[u-Nanoseconds].size }

// pick returns the scale in which v has at least one digit before the point.
func (u Unit) pick(v float64) (size float64, name string) {
	v = math.Abs(v)
	list := plain
	if u != None {
		list, v = times, v*u.nanos()
	}
	size, name = list[0].size, list[0].name
	for _, s := range list {
		if v >= s.size {
			size, name = s.size, s.name
		}
	}
	return size, name
}
