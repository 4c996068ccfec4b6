package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Strings that are not there.
//
// A search that finds nothing gives NULL, and so does a json() without the
// element. NULL can be compared and assigned; whoever wants its bytes meets a
// fault, as reading from address 0 is one. Variables keep it: see nullvar.go.

// there is s, or leaves the clause if s is NULL.
func (f *fn) there(s str) str {
	if s.null != nil || s.none {
		f.fault(f.nullness(s), faultBadAddr, f.Const(0))
		s.null, s.none = nil, false
	}
	return s
}

// nullness is a word that is not 0 if s is NULL.
func (f *fn) nullness(s str) *ir.Value {
	switch {
	case s.null != nil:
		return s.null
	case s.none:
		return f.Const(1)
	}
	return f.Const(0)
}

// isNull reports whether x is the constant NULL.
func (l *lowerer) isNull(x ast.Expr) bool { return l.prog.Nulls[l.prog.Means.Unparen(x)] }

// nullable reports whether the string x may be NULL, before it is lowered.
func (l *lowerer) nullable(x ast.Expr) bool {
	x = l.prog.Means.Unparen(x)
	if l.isNull(x) {
		return true
	}
	switch x := x.(type) {
	case *ast.Call:
		if c := l.prog.Calls[x]; c != nil && c.User != nil {
			return types.IsString(c.User.Result) && l.mayReturnNull(c.User)
		}
		return function.Find(x.Fn.Text).MayBeNull
	case *ast.Cond:
		return l.nullable(x.Then) || l.nullable(x.Else)
	case *ast.Assign:
		return l.nullable(x.Y)
	case *ast.Cast:
		return l.nullable(x.X)
	case *ast.Unary:
		return x.Op == token.KwStringof && l.nullable(x.X)
	case *ast.Binary:
		return x.Op == token.Comma && l.nullable(x.Y)
	}
	return l.flagged(x)
}

// nullTest lowers the comparison of a string with the constant NULL; it returns
// nil for others. A string that cannot be NULL is not, even if it is empty.
func (f *fn) nullTest(x *ast.Binary, a, b str) *ir.Value {
	if f.isNull(x.X) {
		a, b = b, a
	} else if !f.isNull(x.Y) {
		return nil
	}
	if a.null == nil {
		return f.Const(truth(a.none == (x.Op == token.Eq)))
	}
	if x.Op == token.Ne {
		return f.Op(ir.OpEq, a.null, f.Const(0))
	}
	return f.Op(ir.OpNe, a.null, f.Const(0))
}

// whetherFound lowers the comparison with NULL of a search in a string, of which then only the
// place is wanted; it returns nil for others.
func (f *fn) whetherFound(x *ast.Binary) *ir.Value {
	search := x.X
	if f.isNull(search) {
		search = x.Y
	} else if !f.isNull(x.Y) {
		return nil
	}
	if x.Op != token.Eq && x.Op != token.Ne {
		return nil
	}
	missing := f.missing(search)
	if missing == nil || x.Op == token.Eq {
		return missing
	}
	return f.Op(ir.OpEq, missing, f.Const(0))
}
