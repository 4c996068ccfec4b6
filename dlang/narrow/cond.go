package narrow

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// Text returns a string as D writes it. D's strings end at the first zero byte.
func Text(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == 0:
			b.WriteByte('"')
			return b.String()
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '$': // stays text, whatever reads the script first
			b.WriteByte(c)
		case c < ' ' || c == 0x7f || c >= 0x80:
			fmt.Fprintf(&b, `\%03o`, c) // three digits: what follows is never one of them
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Is returns the condition that an expression has a value; literal is D.
func Is(expr, literal string) string { return operand(expr) + " == " + literal }

// IsNot returns the condition that it has any other.
func IsNot(expr, literal string) string { return operand(expr) + " != " + literal }

// Between returns the condition that an expression is from low to high, which count as
// aggregations do: as signed numbers. The least and the greatest number are no bounds; ""
// if there is none.
func Between(expr string, low, high int64) string {
	x := operand(expr)
	if low < 0 && low != math.MinInt64 || high < 0 {
		x = "(int64_t)(" + expr + ")" // of an unsigned one no number is below 0
	} else if low == math.MinInt64 && high != math.MaxInt64 {
		x = "(int64_t)(" + expr + ")"
	}
	switch {
	case low == high && low != math.MinInt64:
		return x + " == " + strconv.FormatInt(low, 10)
	case low == math.MinInt64 && high == math.MaxInt64:
		return ""
	case low == math.MinInt64:
		return x + " <= " + strconv.FormatInt(high, 10)
	case high == math.MaxInt64:
		return x + " >= " + strconv.FormatInt(low, 10)
	}
	return x + " >= " + strconv.FormatInt(low, 10) + " && " + x + " <= " + strconv.FormatInt(high, 10)
}

// Above is Between for numbers without sign.
func Above(expr string, low, high uint64) string {
	x := operand(expr)
	if low == high {
		return x + " == " + strconv.FormatUint(low, 10)
	}
	return x + " >= " + strconv.FormatUint(low, 10) + " && " + x + " <= " + strconv.FormatUint(high, 10)
}

// All joins conditions; those that are "" ask for nothing.
func All(conds ...string) string {
	var out []string
	for _, c := range conds {
		if c == "" {
			continue
		}
		if x, err := expr(c); err == nil {
			c = tight(c, x)
		}
		out = append(out, c)
	}
	return strings.Join(out, " && ")
}

// Any joins conditions of which one has to hold.
func Any(conds ...string) string {
	if len(conds) == 1 {
		return conds[0]
	}
	out := make([]string, len(conds))
	for i, c := range conds {
		out[i] = "(" + c + ")"
	}
	return strings.Join(out, " || ")
}

// opening is what stands before a condition where it is read.
const opening = "BEGIN { if ("

// expr reads a condition.
func expr(text string) (ast.Expr, error) {
	tree, list := parser.Parse(token.NewFile("condition", opening+text+"\n) trace(0); }"))
	if len(list) > 0 || len(tree.Items) != 1 {
		return nil, fmt.Errorf("%s cannot be asked about in D", text)
	}
	c, ok := tree.Items[0].(*ast.Clause)
	if !ok || c.Body == nil || len(c.Body.Stmts) != 1 || strings.Contains(text, "//") || strings.Contains(text, "/*") {
		return nil, fmt.Errorf("%s cannot be asked about in D", text)
	}
	s, ok := c.Body.Stmts[0].(*ast.If)
	if !ok || s.Cond == nil {
		return nil, errors.New("no condition is given")
	}
	return s.Cond, nil
}

// isLoose reports whether && would take x apart.
func isLoose(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Binary:
		return x.Op == token.OrOr || x.Op == token.XorXor || x.Op == token.Comma
	case *ast.Cond, *ast.Assign:
		return true
	}
	return false
}

// tight returns the text of a condition as a part of x && y.
func tight(text string, x ast.Expr) string {
	if isLoose(x) {
		return "(" + text + ")"
	}
	return text
}

// fenced returns the text of a condition as a part of a predicate, where a slash could be
// taken for its end, and a star at the front for the beginning of a comment.
func fenced(text string, x ast.Expr) string {
	if isLoose(x) || strings.Contains(text, "/") || strings.HasPrefix(text, "*") {
		return "(" + text + ")"
	}
	return text
}

// operand returns an expression as one side of a comparison.
func operand(text string) string {
	x, err := expr(text)
	if err != nil {
		return text
	}
	switch x := x.(type) {
	case *ast.Binary:
		switch x.Op {
		case token.Plus, token.Minus, token.Star, token.Slash, token.Percent:
			return text
		}
	case *ast.Cond, *ast.Assign:
	default:
		return text
	}
	return "(" + text + ")"
}

// effect returns the part of a condition that changes something; "" if none does.
func effect(x ast.Expr) string {
	what := ""
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			what = "an assignment"
		case *ast.Postfix:
			what = n.Op.String()
		case *ast.Unary:
			if n.Op == token.Inc || n.Op == token.Dec {
				what = n.Op.String()
			}
		}
		return what == ""
	})
	return what
}
